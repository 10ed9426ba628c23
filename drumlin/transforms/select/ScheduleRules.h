// Schedules of kernels that aren't GEMMs: chosen by rules about their regions, without predicted
// times. They depend only on shapes and the target's registers.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/target/CpuTarget.h"
#include "drumlin/transforms/Ledger.h"

namespace drumlin {

// Maximum work items of one kernel: enough to balance the load of many threads.
inline constexpr int64_t maxTasks = 256;

struct RuleChoice {
  plan::KernelSchedule schedule;
  // The schedule that is chosen at other sizes, and these sizes; empty if all sizes get one
  // schedule.
  std::string runnerUp, turningPoint;
  bool isEdited = false; // the program's text has another schedule than the rules would choose
  // True if `schedule` adds up elements in another order than the rules' schedule would.
  bool changesSums = false;
};

// The rules for one kind of kernel. `choose` returns the kernel's own schedule if it has one that
// fits, or else the rules' schedule. `choose` is defined for every kernel operation except
// plan::GemmOp. It is a friend because a friend declaration in a template declares one function for
// each type.
template <typename Op> struct ScheduleRules {
  friend RuleChoice choose(ScheduleRules, Op kernel, const CpuTarget &target);
};

// Calls `choose` for any kernel that isn't a GEMM.
RuleChoice chooseByRules(mlir::Operation *kernel, const CpuTarget &target);

// Adds the ledger entries about a kernel's schedule.
void recordSchedule(mlir::Operation *kernel, const RuleChoice &choice, Ledger &ledger);

// Returns the kernel's own schedule if the program's text has one that fits, or else `choice`. Code
// generation rejects schedules that don't fit.
RuleChoice orGiven(RuleChoice choice, mlir::Operation *kernel);

RuleChoice loopChoice(llvm::ArrayRef<LoopGroup> groups, const CpuTarget &target,
                      mlir::MLIRContext *context);

// Returns whether two schedules of one loop add up elements in different orders.
bool differsInSums(const LoopSchedule &a, const LoopSchedule &b, llvm::ArrayRef<LoopGroup> groups);

} // namespace drumlin
