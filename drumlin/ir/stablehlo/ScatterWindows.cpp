#include "drumlin/ir/stablehlo/ScatterWindows.h"

#include "drumlin/ir/stablehlo/AddOp.h"
#include "drumlin/ir/stablehlo/AndOp.h"
#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/CompareOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/PadOp.h"
#include "drumlin/ir/stablehlo/ScatterOp.h"
#include "drumlin/ir/stablehlo/SelectOp.h"
#include "drumlin/ir/stablehlo/SliceOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/ir/stablehlo/TensorAttribute.h"

namespace drumlin {

using namespace mlir;

// Returns the size of an update's window along each dimension of the operand.
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

// Creates a tensor of the same shape as the scatter indices in which component i of every index
// vector is `numbers[i]`.
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

namespace {
// Bounds of the positions of a scatter's windows in its operand, for each component of the index
// vectors.
struct Ends {
  SmallVector<int64_t> windows; // window sizes
  SmallVector<int64_t> last;    // largest index at which a window is inside the operand
  SmallVector<int64_t> outside; // smallest index at which a window is completely outside

  bool mayLieBetween() const {
    return llvm::any_of(windows, [](int64_t size) { return size > 1; });
  }
};
} // namespace

// Returns the bounds, or nothing if sizes are unknown.
static std::optional<Ends> endsOf(stablehlo::ScatterOp scatter) {
  auto operand = cast<RankedTensorType>(scatter.getInputs()[0].getType());
  if (!operand.hasStaticShape() ||
      !cast<RankedTensorType>(scatter.getScatterIndices().getType()).hasStaticShape() ||
      !cast<RankedTensorType>(scatter.getUpdates()[0].getType()).hasStaticShape()) {
    return std::nullopt;
  }
  SmallVector<int64_t> sizes = windowSizes(scatter);
  Ends ends;
  for (int64_t dimension : scatter.getScatterDimensionNumbers().getScatterDimsToOperandDims()) {
    int64_t size = operand.getDimSize(dimension);
    ends.windows.push_back(sizes[static_cast<size_t>(dimension)]);
    ends.last.push_back(size - ends.windows.back());
    ends.outside.push_back(size);
  }
  return ends;
}

// Whether the value is a tensor that perComponent() created from `numbers`.
static bool arePerComponent(Value value, ArrayRef<int64_t> numbers) {
  auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>();
  auto constant =
      broadcast ? broadcast.getOperand().getDefiningOp<stablehlo::ConstantOp>() : nullptr;
  auto given = constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue()) : nullptr;
  return given && llvm::equal(given.getValues<APInt>(), numbers,
                              [](const APInt &a, int64_t b) { return a.getSExtValue() == b; });
}

// Whether the indices have the form that leaveOutWholeWindows() creates.
static bool leavesOutWholeWindows(stablehlo::ScatterOp scatter, const Ends &ends) {
  auto moved = scatter.getScatterIndices().getDefiningOp<stablehlo::SelectOp>();
  auto inside = moved ? moved.getPred().getDefiningOp<stablehlo::AndOp>() : nullptr;
  if (!inside || !arePerComponent(moved.getOnFalse(), ends.outside)) {
    return false;
  }
  auto compares = [&](Value value, stablehlo::ComparisonDirection direction,
                      ArrayRef<int64_t> numbers) {
    auto compare = value.getDefiningOp<stablehlo::CompareOp>();
    return compare && compare.getComparisonDirection() == direction &&
           compare.getLhs() == moved.getOnTrue() && arePerComponent(compare.getRhs(), numbers);
  };
  SmallVector<int64_t> zeros(ends.last.size(), 0);
  return compares(inside.getLhs(), stablehlo::ComparisonDirection::GE, zeros) &&
         compares(inside.getRhs(), stablehlo::ComparisonDirection::LE, ends.last);
}

static bool mayHavePartialWindows(stablehlo::ScatterOp scatter) {
  std::optional<Ends> ends = endsOf(scatter);
  return ends && ends->mayLieBetween() && !leavesOutWholeWindows(scatter, *ends);
}

// Returns the indices in a type that is wide enough for sums of indices and sizes.
static Value wideIndices(OpBuilder &builder, stablehlo::ScatterOp scatter) {
  auto type = cast<RankedTensorType>(scatter.getScatterIndices().getType());
  return stablehlo::ConvertOp::create(builder, scatter.getLoc(), type.clone(builder.getI64Type()),
                                      scatter.getScatterIndices());
}

static void leaveOutWholeWindows(stablehlo::ScatterOp scatter) {
  Ends ends = *endsOf(scatter);
  OpBuilder builder(scatter);
  Location loc = scatter.getLoc();
  Value index = wideIndices(builder, scatter);
  auto wide = cast<RankedTensorType>(index.getType());
  auto compare = [&](ArrayRef<int64_t> numbers, stablehlo::ComparisonDirection direction) {
    return stablehlo::CompareOp::create(builder, loc, index,
                                        perComponent(builder, scatter, wide, numbers), direction);
  };
  SmallVector<int64_t> zeros(ends.last.size(), 0);
  Value isInside =
      stablehlo::AndOp::create(builder, loc, compare(zeros, stablehlo::ComparisonDirection::GE),
                               compare(ends.last, stablehlo::ComparisonDirection::LE));
  Value moved = stablehlo::SelectOp::create(builder, loc, wide, isInside, index,
                                            perComponent(builder, scatter, wide, ends.outside));
  scatter.getScatterIndicesMutable().assign(moved);
  // Changed indices may no longer be sorted.
  scatter.setIndicesAreSorted(false);
}

static void keepPartsOfWindows(stablehlo::ScatterOp scatter) {
  Ends ends = *endsOf(scatter);
  OpBuilder builder(scatter);
  Location loc = scatter.getLoc();
  auto operand = cast<RankedTensorType>(scatter.getInputs()[0].getType());
  SmallVector<int64_t> before(static_cast<size_t>(operand.getRank()), 0), none = before, added;
  SmallVector<int64_t> ones(before.size(), 1), limits(operand.getShape());
  SmallVector<int64_t> padded(operand.getShape());
  for (auto [i, dimension] :
       llvm::enumerate(scatter.getScatterDimensionNumbers().getScatterDimsToOperandDims())) {
    int64_t more = ends.windows[i] - 1;
    added.push_back(more);
    before[static_cast<size_t>(dimension)] = more;
    limits[static_cast<size_t>(dimension)] += more;
    padded[static_cast<size_t>(dimension)] += 2 * more;
  }
  Value index = wideIndices(builder, scatter);
  auto wide = cast<RankedTensorType>(index.getType());
  scatter.getScatterIndicesMutable().assign(
      stablehlo::AddOp::create(builder, loc, index, perComponent(builder, scatter, wide, added)));
  for (OpOperand &input : scatter.getInputsMutable()) {
    auto type = cast<RankedTensorType>(input.get().getType());
    Value zero = stablehlo::ConstantOp::create(
        builder, loc,
        attributeFromTensor(Tensor(elementTypeOf(type.getElementType()), Shape{}),
                            builder.getContext()));
    input.set(stablehlo::PadOp::create(builder, loc, type.clone(padded), input.get(), zero, before,
                                       before, none));
  }
  builder.setInsertionPointAfter(scatter);
  for (Value result : scatter.getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    result.setType(type.clone(padded));
    auto inner = stablehlo::SliceOp::create(builder, loc, type, result, before, limits, ones);
    result.replaceAllUsesExcept(inner, inner);
  }
}

static SmallVector<stablehlo::ScatterOp> partialScatters(ModuleOp module) {
  SmallVector<stablehlo::ScatterOp> scatters;
  module.walk([&](stablehlo::ScatterOp scatter) {
    if (mayHavePartialWindows(scatter)) {
      scatters.push_back(scatter);
    }
  });
  return scatters;
}

void leaveOutWholeWindows(ModuleOp module) {
  for (stablehlo::ScatterOp scatter : partialScatters(module)) {
    leaveOutWholeWindows(scatter);
  }
}

bool mayHavePartialWindows(ModuleOp module) { return !partialScatters(module).empty(); }

void keepPartsOfWindows(ModuleOp module) {
  for (stablehlo::ScatterOp scatter : partialScatters(module)) {
    keepPartsOfWindows(scatter);
  }
}

} // namespace drumlin
