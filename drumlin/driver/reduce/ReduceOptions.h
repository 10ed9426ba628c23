// Options and report of a reduction.
#pragma once

#include "drumlin/driver/Options.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <functional>

namespace drumlin {

struct ReduceOptions {
  int64_t maxTries = 10'000;       // maximum number of calls of the condition
  ProgressFunction progress;       // may be empty
  std::function<bool()> isStopped; // called before each try; empty: never
};

struct ReduceReport {
  int64_t operationsBefore = 0, operationsAfter = 0, tries = 0;
  double seconds = 0;
  // FixedPoint: no known change makes the program smaller.
  enum class End { FixedPoint, MaxTries, Stopped } end = End::FixedPoint;
};

// The condition: returns whether a program still shows the fault. It receives a verified copy of
// the program and may modify this copy.
using IsInteresting = llvm::function_ref<bool(mlir::ModuleOp)>;

} // namespace drumlin
