// Derives other sizes and attributes from changed sizes.
#include "drumlin/driver/reduce/DimensionClasses.h"

#include "drumlin/driver/reduce/Edits.h"
#include "drumlin/ir/stablehlo/ConcatenateOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/Constraints.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/DynamicSliceOp.h"
#include "drumlin/ir/stablehlo/DynamicUpdateSliceOp.h"
#include "drumlin/ir/stablehlo/GatherOp.h"
#include "drumlin/ir/stablehlo/PadOp.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/ScatterOp.h"
#include "drumlin/ir/stablehlo/SelectAndScatterOp.h"
#include "drumlin/ir/stablehlo/SliceOp.h"

using namespace mlir;

namespace drumlin::reduce {

void DimensionClasses::resize(unsigned of, int64_t size, bool isFixed) {
  unsigned changed = root(of);
  sizes[changed] = size;
  if (isFixed) {
    fixed.insert(changed);
  }
}

bool DimensionClasses::assign(Value value, int64_t dimension, int64_t size) {
  unsigned of = root(node(value, dimension));
  if (sizes[of] == size) {
    return true;
  }
  if (size < 1 || fixed.contains(of)) {
    return false;
  }
  sizes[of] = size;
  hasChanged = true;
  return true;
}

//===-- operations ----------------------------------------------------------------------------===//

bool DimensionClasses::settleConcatenate(Operation *op) {
  auto concatenate = cast<stablehlo::ConcatenateOp>(op);
  auto along = static_cast<int64_t>(concatenate.getDimension());
  int64_t sum = 0;
  for (Value input : concatenate.getInputs()) {
    sum += sizeOf(input, along);
  }
  return assign(concatenate.getResult(), along, sum);
}

bool DimensionClasses::settleSlice(Operation *op, Lead lead) {
  auto slice = cast<stablehlo::SliceOp>(op);
  SmallVector<int64_t> starts(slice.getStartIndices()), limits(slice.getLimitIndices()),
      strides(slice.getStrides());
  for (size_t i = 0; i < starts.size(); ++i) {
    auto d = static_cast<int64_t>(i);
    int64_t size = sizeOf(slice.getOperand(), d), wanted = sizeOf(slice.getResult(), d);
    auto count = [&] { return (limits[i] - starts[i] + strides[i] - 1) / strides[i]; };
    limits[i] = std::min(limits[i], size);
    if (strides[i] < 1 || limits[i] < 1) {
      return false;
    }
    starts[i] = std::min(starts[i], limits[i] - 1);
    if (count() == wanted || (lead == Lead::Attributes && assign(slice.getResult(), d, count()))) {
      continue;
    }
    // The result keeps its size. The slice is shifted as far as needed. Its stride becomes 1 only
    // if shifting isn't enough.
    for (int64_t stride : {strides[i], int64_t(1)}) {
      int64_t span = (wanted - 1) * stride + 1;
      if (span <= size) {
        strides[i] = stride;
        starts[i] = std::min(starts[i], size - span);
        limits[i] = starts[i] + span;
        break;
      }
    }
    if (count() != wanted && !assign(slice.getResult(), d, count())) {
      return false;
    }
  }
  slice.setStartIndices(starts);
  slice.setLimitIndices(limits);
  slice.setStrides(strides);
  return true;
}

bool DimensionClasses::settlePad(Operation *op, Lead lead) {
  auto pad = cast<stablehlo::PadOp>(op);
  SmallVector<int64_t> high(pad.getEdgePaddingHigh());
  for (size_t i = 0; i < high.size(); ++i) {
    auto d = static_cast<int64_t>(i);
    std::optional<int64_t> size =
        stablehlo::paddedSize(sizeOf(pad.getOperand(), d), pad.getEdgePaddingLow()[i], high[i],
                              pad.getInteriorPadding()[i]);
    if (!size) {
      return false;
    }
    if (!assign(pad.getResult(), d, *size)) {
      high[i] += sizeOf(pad.getResult(), d) - *size;
    }
  }
  pad.setEdgePaddingHigh(high);
  return true;
}

bool DimensionClasses::settleReshape(Operation *op) {
  Value operand = op->getOperand(0), result = op->getResult(0);
  for (const ReshapeGroup &group : reshapes.lookup(op)) {
    int64_t left = 1, right = 1;
    for (int64_t d : group.operand) {
      left *= sizeOf(operand, d);
    }
    for (int64_t d : group.result) {
      right *= sizeOf(result, d);
    }
    if (left == right) {
      continue;
    }
    // If the operand or the result has only one dimension in a group, the size of this dimension
    // follows from the sizes on the other side.
    bool follows = group.result.size() == 1 && assign(result, group.result[0], left);
    follows = follows || (group.operand.size() == 1 && assign(operand, group.operand[0], right));
    if (!follows) {
      return false;
    }
  }
  return true;
}

bool DimensionClasses::settleWindow(Operation *op) {
  auto settleOne = [&](Value input, int64_t ofInput, Value result, int64_t ofResult,
                       const stablehlo::WindowDimension &window) {
    if (window.size < 1 || window.stride < 1 || window.baseDilation < 1 ||
        window.windowDilation < 1) {
      return false;
    }
    std::optional<int64_t> count = stablehlo::windowCount(sizeOf(input, ofInput), window);
    return count && assign(result, ofResult, *count);
  };
  if (auto reduce = dyn_cast<stablehlo::ReduceWindowOp>(op)) {
    SmallVector<int64_t> strides = reduce.windowStridesOrDefault(),
                         base = reduce.baseDilationsOrDefault(),
                         dilations = reduce.windowDilationsOrDefault();
    auto padding = reduce.paddingOrDefault();
    for (size_t i = 0; i < strides.size(); ++i) {
      auto d = static_cast<int64_t>(i);
      if (!settleOne(reduce.getInputs()[0], d, reduce.getResults()[0], d,
                     {reduce.getWindowDimensions()[i], strides[i], padding[i].first,
                      padding[i].second, base[i], dilations[i]})) {
        return false;
      }
    }
    return true;
  }
  if (auto scatter = dyn_cast<stablehlo::SelectAndScatterOp>(op)) {
    SmallVector<int64_t> windows = scatter.windowDimensionsOrDefault(),
                         strides = scatter.windowStridesOrDefault();
    auto padding = scatter.paddingOrDefault();
    for (size_t i = 0; i < strides.size(); ++i) {
      auto d = static_cast<int64_t>(i);
      if (!settleOne(scatter.getOperand(), d, scatter.getSource(), d,
                     {windows[i], strides[i], padding[i].first, padding[i].second})) {
        return false;
      }
    }
    return true;
  }
  auto convolution = cast<stablehlo::ConvolutionOp>(op);
  stablehlo::ConvDimensionNumbersAttr numbers = convolution.getDimensionNumbers();
  SmallVector<int64_t> strides = convolution.windowStridesOrDefault(),
                       base = convolution.lhsDilationOrDefault(),
                       dilations = convolution.rhsDilationOrDefault();
  auto padding = convolution.paddingOrDefault();
  for (size_t i = 0; i < strides.size(); ++i) {
    int64_t window = sizeOf(convolution.getRhs(), numbers.getKernelSpatialDimensions()[i]);
    if (!settleOne(
            convolution.getLhs(), numbers.getInputSpatialDimensions()[i], convolution.getResult(),
            numbers.getOutputSpatialDimensions()[i],
            {window, strides[i], padding[i].first, padding[i].second, base[i], dilations[i]})) {
      return false;
    }
  }
  return true;
}

bool DimensionClasses::settleIndexed(Operation *op, Lead lead) {
  // A slice that is read or written must not be larger than the whole tensor.
  auto settleOne = [&](Value whole, int64_t ofWhole, Value piece, int64_t ofPiece) {
    return sizeOf(piece, ofPiece) <= sizeOf(whole, ofWhole) ||
           assign(piece, ofPiece, sizeOf(whole, ofWhole));
  };
  if (auto slice = dyn_cast<stablehlo::DynamicSliceOp>(op)) {
    for (auto [i, size] : llvm::enumerate(slice.getSliceSizes())) {
      auto d = static_cast<int64_t>(i);
      if ((lead == Lead::Attributes && !assign(slice.getResult(), d, size)) ||
          !settleOne(slice.getOperand(), d, slice.getResult(), d)) {
        return false;
      }
    }
    slice.setSliceSizes(shapeNow(slice.getResult()));
    return true;
  }
  if (auto update = dyn_cast<stablehlo::DynamicUpdateSliceOp>(op)) {
    for (int64_t d = 0; d < update.getUpdate().getType().getRank(); ++d) {
      if (!settleOne(update.getOperand(), d, update.getUpdate(), d)) {
        return false;
      }
    }
    return true;
  }
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op)) {
    stablehlo::ScatterDimensionNumbersAttr numbers = scatter.getScatterDimensionNumbers();
    Value input = scatter.getInputs()[0];
    size_t next = 0;
    for (int64_t d = 0; d < cast<RankedTensorType>(input.getType()).getRank(); ++d) {
      if (!llvm::is_contained(numbers.getInsertedWindowDims(), d) &&
          !llvm::is_contained(numbers.getInputBatchingDims(), d) &&
          !settleOne(input, d, scatter.getUpdates()[0], numbers.getUpdateWindowDims()[next++])) {
        return false;
      }
    }
    return true;
  }
  auto gather = cast<stablehlo::GatherOp>(op);
  stablehlo::GatherDimensionNumbersAttr numbers = gather.getDimensionNumbers();
  SmallVector<int64_t> taken(gather.getSliceSizes());
  size_t next = 0;
  for (size_t i = 0; i < taken.size(); ++i) {
    auto d = static_cast<int64_t>(i);
    if (llvm::is_contained(numbers.getCollapsedSliceDims(), d) ||
        llvm::is_contained(numbers.getOperandBatchingDims(), d)) {
      continue;
    }
    int64_t offset = numbers.getOffsetDims()[next++];
    if ((lead == Lead::Attributes && !assign(gather.getResult(), offset, taken[i])) ||
        !settleOne(gather.getOperand(), d, gather.getResult(), offset)) {
      return false;
    }
    taken[i] = sizeOf(gather.getResult(), offset);
  }
  gather.setSliceSizes(taken);
  return true;
}

bool DimensionClasses::settle(Operation *op, Lead lead) {
  if (isa<stablehlo::ConcatenateOp>(op)) {
    return settleConcatenate(op);
  }
  if (isa<stablehlo::SliceOp>(op)) {
    return settleSlice(op, lead);
  }
  if (isa<stablehlo::PadOp>(op)) {
    return settlePad(op, lead);
  }
  if (isa<stablehlo::ReshapeOp>(op)) {
    return settleReshape(op);
  }
  if (isa<stablehlo::ReduceWindowOp, stablehlo::SelectAndScatterOp, stablehlo::ConvolutionOp>(op)) {
    return settleWindow(op);
  }
  if (isa<stablehlo::DynamicSliceOp, stablehlo::DynamicUpdateSliceOp, stablehlo::ScatterOp,
          stablehlo::GatherOp>(op)) {
    return settleIndexed(op, lead);
  }
  return true;
}

//===-- the program ---------------------------------------------------------------------------===//

// Returns the constant's elements in the new shape; keeps the leading elements of each dimension.
static DenseElementsAttr resized(DenseElementsAttr elements, RankedTensorType type) {
  if (elements.isSplat()) {
    return elements.resizeSplat(type);
  }
  ArrayRef<int64_t> from = elements.getType().getShape(), to = type.getShape();
  auto all = elements.getValues<Attribute>();
  SmallVector<Attribute> kept;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    int64_t rest = i, place = 0, stride = 1;
    for (size_t d = to.size(); d-- > 0;) {
      place += rest % to[d] * stride;
      rest /= to[d];
      stride *= from[d];
    }
    kept.push_back(all[static_cast<size_t>(place)]);
  }
  return DenseElementsAttr::get(type, kept);
}

void DimensionClasses::write() {
  for (auto [value, first] : nodes) {
    auto type = cast<RankedTensorType>(value.getType());
    Value changed = value;
    changed.setType(type.clone(shapeNow(value)));
  }
  module->walk([&](Operation *op) {
    if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
      auto type = cast<RankedTensorType>(constant.getType());
      auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
      if (elements && elements.getType() != type && type.hasStaticShape()) {
        constant.setValueAttr(resized(elements, type));
      }
    } else if (auto function = dyn_cast<func::FuncOp>(op)) {
      updateType(function);
    }
  });
}

bool DimensionClasses::apply(Lead lead) {
  // Sizes propagate forward along the program, and backward through reshapes and loops, so several
  // rounds may be needed.
  constexpr int maxRounds = 16;
  for (int round = 0; round < maxRounds; ++round) {
    hasChanged = false;
    WalkResult walked = module->walk<WalkOrder::PreOrder>([&](Operation *op) {
      return settle(op, lead) ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (walked.wasInterrupted()) {
      return false;
    }
    if (!hasChanged) {
      write();
      return true;
    }
  }
  return false;
}

} // namespace drumlin::reduce
