// Schedules of kernels that aren't products: by rules about their regions, without predicted times.
// Functions of shapes alone.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/transforms/Ledger.h"

namespace drumlin {

// Tasks of one kernel at most: enough to share evenly among many threads.
inline constexpr int64_t maxTasks = 256;

struct RuleChoice {
  mlir::Attribute schedule; // of the kernel's kind
  // The way that it would have with other sizes, and with which; empty: there is no other.
  std::string runnerUp, turningPoint;
  bool isEdited = false; // a text has another one than the rules
  // It adds up terms in another order than the one of the rules.
  bool changesSums = false;
};

// The schedule that a kernel has, where it is one of its own, or that of the rules. The kernel is a
// plan.loop, plan.sort, plan.scatter or plan.window.
RuleChoice chooseByRules(mlir::Operation *kernel);

// The entries that the ledger has about it.
void recordSchedule(mlir::Operation *kernel, const RuleChoice &choice, Ledger &ledger);

// The rules of each kind.
RuleChoice loopChoice(llvm::ArrayRef<LoopGroup> groups, mlir::MLIRContext *context);
RuleChoice sortChoice(mlir::Block &region);
RuleChoice scatterChoice(mlir::Block &region);
RuleChoice windowChoice(mlir::Block &region);

// Whether two schedules of one loop add up terms in different orders.
bool differsInSums(const LoopSchedule &a, const LoopSchedule &b, llvm::ArrayRef<LoopGroup> groups);

} // namespace drumlin
