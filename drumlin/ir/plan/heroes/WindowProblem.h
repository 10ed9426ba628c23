// The problem of a window kernel, a select_and_scatter: each window selects an element of the
// operand. The source value of the window is combined into the result at the position of this
// element.
//
// A dimension is batch-like if windows have size 1, stride 1 and no padding along it, so that they
// don't overlap. The leading batch-like dimensions form batches, which are divided among tasks. If
// the last dimension is batch-like, lanes may run along it. Each lane then has its own windows.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/sizes/Size.h"
#include "drumlin/ir/stablehlo/SelectAndScatterOp.h"
#include "drumlin/support/Tensor.h"

#include <string>

namespace drumlin {

struct WindowProblem {
  stablehlo::SelectAndScatterOp op; // null: the region has no select_and_scatter
  Shape shape, sourceShape;
  llvm::SmallVector<int64_t> window, steps;
  llvm::SmallVector<std::pair<int64_t, int64_t>> padding;

  explicit WindowProblem(mlir::Block &region);
  bool isBatchLike(size_t dimension) const;
  bool mayUseLanes() const { return !shape.empty() && isBatchLike(shape.size() - 1); }
};

// The loop structure of a problem under a schedule.
struct WindowTraversal {
  size_t traversedDims = 0; // number of dimensions with loops; lanes may cover the last one
  size_t batchDims = 0;     // number of leading dimensions that are divided among tasks
  size_t unrolledFrom = 0;  // first window dimension that is unrolled
  Size batches = 1;         // product of the sizes of the batch dimensions
  Size perBatch = 1;        // number of result elements in one batch
  Size tasks = 0;

  WindowTraversal(plan::WindowScheduleAttr schedule, const WindowProblem &problem);
};

// Returns why a schedule doesn't fit the problem; empty if it fits.
std::string findScheduleFault(plan::WindowScheduleAttr schedule, const WindowProblem &problem);

} // namespace drumlin
