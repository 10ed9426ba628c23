#include "drumlin/ir/plan/heroes/ScatterProblem.h"

#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/ScatterOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/Cost.h"

using namespace llvm;

namespace drumlin {

static void findWindowDims(ScatterProblem &problem) {
  auto numbers = problem.op.getScatterDimensionNumbers();
  size_t rank = shapeOf(problem.op.getInputs().front()).size();
  problem.windowDim.assign(shapeOf(problem.op.getUpdates().front()).size(), -1);
  size_t next = 0;
  for (size_t d = 0; d < rank; ++d) {
    auto dimension = static_cast<int64_t>(d);
    if (is_contained(numbers.getInsertedWindowDims(), dimension) ||
        is_contained(numbers.getInputBatchingDims(), dimension)) {
      continue;
    }
    problem.windowDim[static_cast<size_t>(numbers.getUpdateWindowDims()[next++])] = dimension;
  }
  for (auto [d, along] : enumerate(problem.windowDim)) {
    if (along < 0) {
      problem.lastScatterDim = static_cast<int64_t>(d);
    }
  }
}

static void findRow(ScatterProblem &problem) {
  auto indexed = problem.op.getScatterDimensionNumbers().getScatterDimsToOperandDims();
  ArrayRef<int64_t> shape = shapeOf(problem.op.getInputs().front());
  ArrayRef<int64_t> updateShape = shapeOf(problem.op.getUpdates().front());
  auto sizesOf = [](mlir::Value value) {
    return symbolicSizesOf(cast<mlir::RankedTensorType>(value.getType()));
  };
  std::vector<SizeExpression> sizes = sizesOf(problem.op.getInputs().front());
  std::vector<SizeExpression> updateSizes = sizesOf(problem.op.getUpdates().front());
  size_t rank = shape.size(), taken = 0;
  problem.rowDim = updateShape.size();
  while (problem.rowDim > 0) {
    int64_t dimension = problem.windowDim[problem.rowDim - 1];
    if (dimension < 0 || dimension != static_cast<int64_t>(rank - 1 - taken)) {
      break;
    }
    if (taken > 0) {
      size_t inner = rank - taken;
      if (!(sizes[inner] == updateSizes[problem.rowDim]) ||
          is_contained(indexed, static_cast<int64_t>(inner))) {
        break;
      }
      problem.rowInner *= shape[inner];
    }
    --problem.rowDim;
    ++taken;
  }
  bool startsKnown = static_cast<int64_t>(problem.rowDim) > problem.lastScatterDim;
  if (taken > 0 && startsKnown) {
    problem.rowElements = problem.rowInner * updateShape[problem.rowDim];
  }
}

ScatterProblem::ScatterProblem(mlir::Block &region) {
  for (mlir::Operation &each : region) {
    op = op ? op : dyn_cast<stablehlo::ScatterOp>(each);
  }
  if (op) {
    findWindowDims(*this);
    findRow(*this);
  }
}

bool ScatterProblem::mayDivide(int64_t dimension, bool byLanes) const {
  stablehlo::ScatterOp scatter = op;
  mlir::Operation *yield = scatter->getBlock()->getTerminator();
  bool areYielded = all_of(scatter->getResults(), [&](mlir::Value result) {
    return is_contained(yield->getOperands(), result);
  });
  auto type = cast<mlir::RankedTensorType>(scatter.getInputs().front().getType());
  bool isInRow = byLanes && dimension > windowDim[rowDim];
  return areYielded && !hasSymbolicSizes(type) && !isInRow;
}

int64_t updatesOfElement(stablehlo::ScatterOp scatter) {
  auto numbers = scatter.getScatterDimensionNumbers();
  int64_t count = 1;
  for (auto [d, size] : enumerate(shapeOf(scatter.getScatterIndices()))) {
    auto dimension = static_cast<int64_t>(d);
    if (dimension != numbers.getIndexVectorDim() &&
        !is_contained(numbers.getScatterIndicesBatchingDims(), dimension)) {
      count = multiplySaturating(count, size);
    }
  }
  return scatter.getUniqueIndices() ? std::min<int64_t>(count, 1) : count;
}

std::string findScheduleFault(plan::ScatterScheduleAttr schedule, const ScatterProblem &problem) {
  bool usesLanes = schedule.getTraversal() == plan::LaneUse::by_lanes;
  if (usesLanes && problem.rowElements == 0) {
    return "its windows aren't contiguous rows of the result";
  }
  if (schedule.getTile() == 0) {
    return "";
  }
  stablehlo::ScatterOp scatter = problem.op;
  int64_t divided = schedule.getDivided();
  if (schedule.getTile() < 0 || divided < 0 ||
      divided >= static_cast<int64_t>(shapeOf(scatter.getInputs().front()).size())) {
    return "a task must update some positions along a dimension of the result";
  }
  return problem.mayDivide(divided, usesLanes)
             ? ""
             : "dimension " + std::to_string(divided) + " of the result can't be divided";
}

std::string plan::ScatterScheduleAttr::findFault(mlir::Operation *kernel) const {
  return findScheduleFault(*this, ScatterProblem(kernel->getRegion(0).front()));
}

} // namespace drumlin
