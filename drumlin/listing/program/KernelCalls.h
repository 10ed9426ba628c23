// Plans as programs that other compilers' tools read and print.
#pragma once

#include "drumlin/ir/costs/ProgramCost.h"
#include "mlir/IR/BuiltinOps.h"

namespace drumlin::listing {

// Which arguments and results of the program were tokens, which plans have none of. Empty: none.
struct EntryTokens {
  llvm::SmallVector<bool> arguments, results;
};

// Changes a placed plan into StableHLO that shows it: a `custom_call` named after it for each
// launch, whose `backend_config` says as JSON what the kernel computes, how it runs and what a call
// costs. Values have the types of the plan, between those that callers pass and get; constants of
// more than 64 elements and copies are custom calls, too. It names no places in sources, and
// nothing can be computed by it.
void showKernelsAsCalls(mlir::ModuleOp plan, const PlanCost &costs, const EntryTokens &tokens = {});

} // namespace drumlin::listing
