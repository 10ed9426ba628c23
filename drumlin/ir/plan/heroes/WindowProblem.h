// A window kernel's problem, a select_and_scatter: each window selects an element of the operand,
// and its source value is combined into the result at that place.
//
// Windows don't cross dimensions in which they have one element, step by one and have no padding.
// Leading ones of these make batches, which tasks share; along the last dimension, where it is one,
// lanes may run, each with windows of its own.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/sizes/Size.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/support/Tensor.h"

#include <string>

namespace drumlin {

struct WindowProblem {
  stablehlo::SelectAndScatterOp op; // null: the region has none
  Shape shape, sourceShape;
  llvm::SmallVector<int64_t> window, steps;
  llvm::SmallVector<std::pair<int64_t, int64_t>> padding;

  explicit WindowProblem(mlir::Block &region);
  bool isBatchLike(size_t dimension) const;
  bool mayUseLanes() const { return !shape.empty() && isBatchLike(shape.size() - 1); }
};

// A problem as a schedule traverses it.
struct WindowTraversal {
  size_t traversedDims = 0; // dimensions with loops; the last one may be left to the lanes
  size_t batchDims = 0;     // leading dimensions that tasks share
  size_t unrolledFrom = 0;  // dimensions of the window from which on there are no loops
  Size batches = 1;         // elements of the batch dimensions
  Size perBatch = 1;        // elements of the result in one batch
  Size tasks = 0;

  WindowTraversal(plan::WindowScheduleAttr schedule, const WindowProblem &problem);
};

// Why a schedule doesn't fit the problem; empty if it fits.
std::string findScheduleFault(plan::WindowScheduleAttr schedule, const WindowProblem &problem);

} // namespace drumlin
