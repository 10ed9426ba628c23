#include "drumlin/ir/plan/heroes/WindowProblem.h"

#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/SelectAndScatterOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace drumlin {

WindowProblem::WindowProblem(mlir::Block &region) {
  for (mlir::Operation &each : region) {
    op = op ? op : dyn_cast<stablehlo::SelectAndScatterOp>(each);
  }
  if (op) {
    shape = Shape(shapeOf(op.getOperand()));
    sourceShape = Shape(shapeOf(op.getSource()));
    window = op.windowDimensionsOrDefault();
    steps = op.windowStridesOrDefault();
    padding = op.paddingOrDefault();
  }
}

bool WindowProblem::isBatchLike(size_t d) const {
  return window[d] == 1 && steps[d] == 1 && padding[d] == std::make_pair(int64_t(0), int64_t(0));
}

WindowTraversal::WindowTraversal(plan::WindowScheduleAttr schedule, const WindowProblem &problem) {
  size_t rank = problem.shape.size();
  stablehlo::SelectAndScatterOp op = problem.op;
  std::vector<Size> sizes = sizesOf(cast<mlir::RankedTensorType>(op.getOperand().getType()));
  traversedDims = schedule.getTraversal() == plan::LaneUse::by_lanes ? rank - 1 : rank;
  while (batchDims < traversedDims && problem.isBatchLike(batchDims)) {
    batches = batches * sizes[batchDims++];
  }
  for (size_t d = batchDims; d < rank; ++d) {
    perBatch = perBatch * sizes[d];
  }
  unrolledFrom = traversedDims - static_cast<size_t>(schedule.getUnrolled());
  tasks = batches.is(0) || perBatch.is(0) ? 0 : batches.ceilQuotient(schedule.getTile());
}

std::string findScheduleFault(plan::WindowScheduleAttr schedule, const WindowProblem &problem) {
  if (schedule.getTraversal() == plan::LaneUse::by_lanes && !problem.mayUseLanes()) {
    return "`by_lanes` needs windows of one element in the last dimension";
  }
  if (schedule.getTile() < 1) {
    return "a task has at least one batch";
  }
  int64_t traversed = static_cast<int64_t>(problem.shape.size()) -
                      (schedule.getTraversal() == plan::LaneUse::by_lanes ? 1 : 0);
  std::string fault = "`unrolled` must not exceed the traversed dimensions or 1024 positions";
  if (schedule.getUnrolled() < 0 || schedule.getUnrolled() > traversed) {
    return fault;
  }
  constexpr int64_t maxUnrolled = 1024;
  int64_t places = 1;
  for (int64_t d = traversed - schedule.getUnrolled(); d < traversed; ++d) {
    places = std::min(places * std::min(problem.window[static_cast<size_t>(d)], maxUnrolled + 1),
                      maxUnrolled + 1);
  }
  return places <= maxUnrolled ? "" : fault;
}

std::string plan::WindowScheduleAttr::findFault(mlir::Operation *kernel) const {
  return findScheduleFault(*this, WindowProblem(kernel->getRegion(0).front()));
}

} // namespace drumlin
