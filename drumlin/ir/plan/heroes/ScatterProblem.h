// A scatter kernel's problem: each window of updates is combined into the result at the place that
// its scatter indices give.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/support/Tensor.h"

#include <string>

namespace drumlin {

struct ScatterProblem {
  stablehlo::ScatterOp op; // null: the region has none
  // Which dimension of the result each dimension of the updates' window runs along; -1 for scatter
  // dimensions.
  llvm::SmallVector<int64_t> windowDim;
  int64_t lastScatterDim = -1;
  // The row: trailing window dimensions that follow one another in the result as well, all but the
  // first of them whole. Where there is none, rowElements is 0.
  size_t rowDim = 0;       // the first dimension of the updates that belongs to the row
  int64_t rowInner = 1;    // elements of the row for each step of that dimension
  int64_t rowElements = 0; // of the whole row

  explicit ScatterProblem(mlir::Block &region);
};

// How many updates one element may get, at nominal sizes: one of each window, but for windows of
// other batches; one at all where indices are unique.
int64_t updatesOfElement(stablehlo::ScatterOp scatter);

// Why a schedule doesn't fit the problem; empty if it fits.
std::string findScheduleFault(plan::ScatterScheduleAttr schedule, const ScatterProblem &problem);

} // namespace drumlin
