// Schedules of kernels that aren't products: by rules about their regions, without predicted times.
// Functions of shapes and the target's registers alone.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/target/CpuTarget.h"
#include "drumlin/transforms/Ledger.h"

namespace drumlin {

// Tasks of one kernel at most: enough to share evenly among many threads.
inline constexpr int64_t maxTasks = 256;

struct RuleChoice {
  plan::KernelSchedule schedule;
  // The way that it would have with other sizes, and with which; empty: there is no other.
  std::string runnerUp, turningPoint;
  bool isEdited = false; // a text has another one than the rules
  // It adds up terms in another order than the one of the rules.
  bool changesSums = false;
};

// The rules of a kind: `choose` is defined for the operation of each but plan::GemmOp. (A friend of
// a template declares a function for each type.) Gives the schedule that the kernel has, where it
// is one of its own and fits, or that of the rules.
template <typename Op> struct ScheduleRules {
  friend RuleChoice choose(ScheduleRules, Op kernel, const CpuTarget &target);
};

// The same for any kernel that isn't a product.
RuleChoice chooseByRules(mlir::Operation *kernel, const CpuTarget &target);

// The entries that the ledger has about it.
void recordSchedule(mlir::Operation *kernel, const RuleChoice &choice, Ledger &ledger);

// A text's own schedule takes the place of the rules', where it fits the kernel; else code
// generation refuses it.
RuleChoice orGiven(RuleChoice choice, mlir::Operation *kernel);

RuleChoice loopChoice(llvm::ArrayRef<LoopGroup> groups, const CpuTarget &target,
                      mlir::MLIRContext *context);

// Whether two schedules of one loop add up terms in different orders.
bool differsInSums(const LoopSchedule &a, const LoopSchedule &b, llvm::ArrayRef<LoopGroup> groups);

} // namespace drumlin
