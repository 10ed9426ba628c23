// Counts a kernel's work while it runs, with code that is inserted after all optimizations: the
// elements that each operation computes, and the bytes of inputs and outputs that it accesses.
#pragma once

#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/Tensor.h"
#include "drumlin/target/CpuTarget.h"

#include <map>
#include <vector>

namespace drumlin {

struct RunningCounts {
  // The number of elements that each operation evaluates. For a reduction, this is the number of
  // elements that are combined with partial results; the final combinations across lanes don't
  // count. Operations in regions have their own entries.
  std::map<mlir::Operation *, int64_t> evaluations;
  // The number of distinct bytes that are read of each input and written of each output. A byte
  // counts once even if it is accessed several times.
  std::vector<int64_t> bytesRead, bytesWritten;
};

// Returns random inputs with few distinct numbers. Integers are small, so that most of them are in
// bounds if they are used as indices.
std::vector<Tensor> drawInputs(plan::KernelOp kernel);

// Runs all tiles of the kernel once, on one thread.
Result<RunningCounts> countWhileRunning(plan::KernelOp kernel, const CpuTarget &target,
                                        const std::vector<Tensor> &inputs);

// Returns the FLOPs of a kernel's evaluations, counted in the same way as costs.
int64_t flopsOf(plan::KernelOp kernel, const RunningCounts &counts);

} // namespace drumlin
