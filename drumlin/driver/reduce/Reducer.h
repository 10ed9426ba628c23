// Shrinks a program that shows a fault to a small one that still shows it.
//
// Delta debugging: changes that make the program smaller are tried, the largest first, and kept
// where the program is still interesting, until no change is left that is. What is tried depends on
// the program and on the answers alone, so the result is the same each time.
#pragma once

#include "drumlin/driver/reduce/ReduceOptions.h"
#include "drumlin/support/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>

namespace drumlin {

// The smallest interesting program that was found; `program` stays as it is. FaultNotShown where
// `program` itself isn't interesting.
Result<mlir::OwningOpRef<mlir::ModuleOp>> reduceProgram(mlir::ModuleOp program,
                                                        const ReduceOptions &options,
                                                        IsInteresting isInteresting,
                                                        ReduceReport *report = nullptr);

// Operations of all functions, with those inside regions; functions and terminators don't count.
int64_t countOperations(mlir::ModuleOp module);

} // namespace drumlin
