// The problem of a scatter kernel: each window of updates is combined into the result at the
// position that its scatter indices specify.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/stablehlo/ScatterOp.h"
#include "drumlin/support/Tensor.h"

#include <string>

namespace drumlin {

struct ScatterProblem {
  stablehlo::ScatterOp op; // null: the region has no scatter
  // The dimension of the result for each dimension of the updates; -1 for scatter dimensions.
  llvm::SmallVector<int64_t> windowDim;
  int64_t lastScatterDim = -1;
  // The row consists of trailing window dimensions of the updates that are also adjacent in the
  // result. Each of them except the first covers a full dimension of the result. If there is no
  // row, rowElements is 0.
  size_t rowDim = 0;       // the first dimension of the updates that belongs to the row
  int64_t rowInner = 1;    // number of row elements per index of rowDim
  int64_t rowElements = 0; // number of elements of the row

  explicit ScatterProblem(mlir::Block &region);
  // Returns whether tasks may each update a part of the result's positions along a dimension: its
  // sizes are static, all results are outputs of the kernel, and the dimension isn't within rows
  // that lanes traverse.
  bool mayDivide(int64_t dimension, bool byLanes) const;
};

// Returns the maximum number of updates of one result element, at nominal sizes: one from each
// window of the element's batch, or a single one if indices are unique.
int64_t updatesOfElement(stablehlo::ScatterOp scatter);

// Returns why a schedule doesn't fit the problem; empty if it fits.
std::string findScheduleFault(plan::ScatterScheduleAttr schedule, const ScatterProblem &problem);

} // namespace drumlin
