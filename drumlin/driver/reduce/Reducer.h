// Shrinks a program that shows a fault to a small one that still shows it.
//
// Delta debugging: the reducer tries changes that make the program smaller, the largest first. It
// keeps a change if the changed program is still interesting, and ends when no such change is left.
// The tries depend only on the program and the condition's answers, so the result is reproducible.
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

// Counts the operations in all functions, including those in nested regions; functions and
// terminators don't count.
int64_t countOperations(mlir::ModuleOp module);

} // namespace drumlin
