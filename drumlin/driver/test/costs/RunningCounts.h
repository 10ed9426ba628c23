// What a kernel does while it runs, counted by code that is put into it after all optimizations:
// the elements that each operation computes, and the bytes of its inputs and outputs that it
// touches.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/Tensor.h"
#include "drumlin/target/CpuTarget.h"

#include <map>
#include <vector>

namespace drumlin {

struct RunningCounts {
  // Evaluations of an element. Of reductions: combinations of an element with what was combined so
  // far; not the last ones, of lanes with each other. Operations of regions count by themselves.
  std::map<mlir::Operation *, int64_t> evaluations;
  // Distinct bytes, however often they are touched.
  std::vector<int64_t> bytesRead, bytesWritten; // of each input, of each output
};

// Of few distinct numbers in an order of their own; small integers, so that as indices most are
// inside.
std::vector<Tensor> drawInputs(plan::KernelOp kernel);

// Runs all tiles of the kernel once, on one thread.
Result<RunningCounts> countWhileRunning(plan::KernelOp kernel, const CpuTarget &target,
                                        const std::vector<Tensor> &inputs);

// The FLOPs of a kernel's evaluations, as costs count them.
int64_t flopsOf(plan::KernelOp kernel, const RunningCounts &counts);

} // namespace drumlin
