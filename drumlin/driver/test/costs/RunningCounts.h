// Counts a kernel's work while it runs, with code that is inserted after all optimizations: the
// elements that each operation computes, and the bytes of inputs and outputs that it accesses.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/Tensor.h"
#include "drumlin/target/CpuTarget.h"

#include <map>
#include <vector>

namespace drumlin {

struct RunningCounts {
  // Evaluations of elements. For reductions: combinations of an element with the partial result,
  // without the final ones across lanes. Operations in regions count separately.
  std::map<mlir::Operation *, int64_t> evaluations;
  // Distinct bytes, however often they are accessed.
  std::vector<int64_t> bytesRead, bytesWritten; // of each input, of each output
};

// Returns inputs with few distinct numbers in a random order; integers are small, so that as
// indices most of them are in bounds.
std::vector<Tensor> drawInputs(plan::KernelOp kernel);

// Runs all tiles of the kernel once, on one thread.
Result<RunningCounts> countWhileRunning(plan::KernelOp kernel, const CpuTarget &target,
                                        const std::vector<Tensor> &inputs);

// Returns the FLOPs of a kernel's evaluations, counted like costs.
int64_t flopsOf(plan::KernelOp kernel, const RunningCounts &counts);

} // namespace drumlin
