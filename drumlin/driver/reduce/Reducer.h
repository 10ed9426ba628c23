// Shrinks a program that shows a fault to a small one that still shows it.
//
// Delta debugging: changes that make the program smaller are tried, the largest first, and kept
// where the program is still interesting, until no change is left that is. What is tried depends on
// the program and on the answers alone, so the result is the same each time.
#pragma once

#include "drumlin/driver/Options.h"
#include "drumlin/support/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace drumlin {

struct ReduceOptions {
  int64_t maxTries = 10'000;       // calls of the condition
  ProgressFunction progress;       // may be empty
  std::function<bool()> isStopped; // asked before each try; empty: never
};

struct ReduceReport {
  int64_t operationsBefore = 0, operationsAfter = 0, tries = 0;
  double seconds = 0;
  // FixedPoint: no change that the reducer knows is left.
  enum class End { FixedPoint, MaxTries, Stopped } end = End::FixedPoint;
};

// Whether a program still shows the fault. It gets a verified copy of its own, which it may change.
using IsInteresting = llvm::function_ref<bool(mlir::ModuleOp)>;

// The smallest interesting program that was found; `program` stays as it is. FaultNotShown where
// `program` itself isn't interesting.
Result<mlir::OwningOpRef<mlir::ModuleOp>> reduceProgram(mlir::ModuleOp program,
                                                        const ReduceOptions &options,
                                                        IsInteresting isInteresting,
                                                        ReduceReport *report = nullptr);

// Operations of all functions, with those inside regions; functions and terminators don't count.
int64_t countOperations(mlir::ModuleOp module);

// Puts its number at each argument of the entry, as candidates have it.
void numberArguments(mlir::ModuleOp program);

// Candidates carry a number at each argument of the entry that the first program had. This takes
// the numbers off: for each argument its number in the first program; nothing for one that is new.
std::vector<std::optional<unsigned>> takeArgumentNumbers(mlir::ModuleOp candidate);

} // namespace drumlin
