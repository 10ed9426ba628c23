#include "drumlin/import/ScatterWindows.h"

#include "drumlin/ir/stablehlo/StablehloOps.h"

namespace drumlin {

using namespace mlir;

// The size of an update's window along each dimension of the operand.
static SmallVector<int64_t> windowSizes(stablehlo::ScatterOp scatter) {
  stablehlo::ScatterDimensionNumbersAttr numbers = scatter.getScatterDimensionNumbers();
  auto operand = cast<RankedTensorType>(scatter.getInputs()[0].getType());
  auto updates = cast<RankedTensorType>(scatter.getUpdates()[0].getType());
  SmallVector<int64_t> sizes(static_cast<size_t>(operand.getRank()), 1);
  ArrayRef<int64_t> windowDims = numbers.getUpdateWindowDims();
  for (auto [dimension, size] : llvm::enumerate(sizes)) {
    auto number = static_cast<int64_t>(dimension);
    if (!llvm::is_contained(numbers.getInsertedWindowDims(), number) &&
        !llvm::is_contained(numbers.getInputBatchingDims(), number)) {
      size = updates.getDimSize(windowDims.front());
      windowDims = windowDims.drop_front();
    }
  }
  return sizes;
}

// A number for each component of the index vectors, as large as all of them.
static Value perComponent(OpBuilder &builder, stablehlo::ScatterOp scatter, RankedTensorType type,
                          ArrayRef<int64_t> numbers) {
  int64_t along = scatter.getScatterDimensionNumbers().getIndexVectorDim();
  bool isOne = along == type.getRank(); // each index is a vector of one component
  auto vector = RankedTensorType::get(
      isOne ? ArrayRef<int64_t>() : ArrayRef<int64_t>(static_cast<int64_t>(numbers.size())),
      type.getElementType());
  Value constant = stablehlo::ConstantOp::create(builder, scatter.getLoc(),
                                                 DenseIntElementsAttr::get(vector, numbers));
  return stablehlo::BroadcastInDimOp::create(builder, scatter.getLoc(), type, constant,
                                             isOne ? ArrayRef<int64_t>() : along);
}

static void leaveOutWholeWindows(stablehlo::ScatterOp scatter) {
  auto operand = cast<RankedTensorType>(scatter.getInputs()[0].getType());
  auto indices = cast<RankedTensorType>(scatter.getScatterIndices().getType());
  if (!operand.hasStaticShape() || !indices.hasStaticShape() ||
      !cast<RankedTensorType>(scatter.getUpdates()[0].getType()).hasStaticShape()) {
    return;
  }
  SmallVector<int64_t> windows = windowSizes(scatter), last, outside;
  bool mayLiePartlyOutside = false;
  for (int64_t dimension : scatter.getScatterDimensionNumbers().getScatterDimsToOperandDims()) {
    int64_t size = operand.getDimSize(dimension);
    int64_t window = windows[static_cast<size_t>(dimension)];
    mayLiePartlyOutside |= window > 1;
    last.push_back(size - window);
    outside.push_back(size);
  }
  if (!mayLiePartlyOutside) {
    return;
  }
  OpBuilder builder(scatter);
  Location loc = scatter.getLoc();
  RankedTensorType wide = indices.clone(builder.getI64Type());
  Value index = stablehlo::ConvertOp::create(builder, loc, wide, scatter.getScatterIndices());
  auto compare = [&](ArrayRef<int64_t> numbers, stablehlo::ComparisonDirection direction) {
    return stablehlo::CompareOp::create(builder, loc, index,
                                        perComponent(builder, scatter, wide, numbers), direction);
  };
  SmallVector<int64_t> zeros(last.size(), 0);
  Value isInside =
      stablehlo::AndOp::create(builder, loc, compare(zeros, stablehlo::ComparisonDirection::GE),
                               compare(last, stablehlo::ComparisonDirection::LE));
  Value moved = stablehlo::SelectOp::create(builder, loc, wide, isInside, index,
                                            perComponent(builder, scatter, wide, outside));
  scatter.getScatterIndicesMutable().assign(moved);
  // What was moved isn't in order any more.
  scatter.setIndicesAreSorted(false);
}

void leaveOutWholeWindows(ModuleOp module) {
  SmallVector<stablehlo::ScatterOp> scatters;
  module.walk([&](stablehlo::ScatterOp scatter) { scatters.push_back(scatter); });
  for (stablehlo::ScatterOp scatter : scatters) {
    leaveOutWholeWindows(scatter);
  }
}

} // namespace drumlin
