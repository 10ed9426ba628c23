// Converts plans to programs that other compilers' tools can read and print.
#pragma once

#include "drumlin/ir/costs/ProgramCost.h"
#include "mlir/IR/BuiltinOps.h"

namespace drumlin::listing {

// Whether each of the program's arguments and results was a token. Plans have no tokens. The lists
// are empty if the program had no tokens either.
struct EntryTokens {
  llvm::SmallVector<bool> arguments, results;
};

// Changes a plan with assigned buffers into StableHLO for display. Each launch becomes a
// `custom_call` named after its kernel, whose `backend_config` is JSON with the kernel's
// computation, schedule and cost per call. Arguments and results have the types that callers see,
// all other values have the plan's types. Constants of more than 64 elements and copies also become
// custom calls. The result has no source locations and can't be run.
void showKernelsAsCalls(mlir::ModuleOp plan, const PlanCost &costs, const EntryTokens &tokens = {});

} // namespace drumlin::listing
