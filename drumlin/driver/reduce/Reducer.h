// Shrinks a program that shows a fault to a small one that still shows it.
//
// Delta debugging: changes that make the program smaller are tried, the largest first, and kept if
// the program is still interesting, until no such change is left. The tries depend only on the
// program and the condition's answers, so the result is reproducible.
#pragma once

#include "drumlin/driver/reduce/ReduceOptions.h"
#include "drumlin/support/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>

namespace drumlin {

// Returns the smallest interesting program found; doesn't modify `program`. Fails with
// FaultNotShown if `program` isn't interesting.
Result<mlir::OwningOpRef<mlir::ModuleOp>> reduceProgram(mlir::ModuleOp program,
                                                        const ReduceOptions &options,
                                                        IsInteresting isInteresting,
                                                        ReduceReport *report = nullptr);

// Counts all functions' operations, with those in regions, without functions and terminators.
int64_t countOperations(mlir::ModuleOp module);

} // namespace drumlin
