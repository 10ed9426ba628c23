// Reads a convolution's input as a matrix of unfolded windows.
#include "drumlin/codegen/cpu/gemm/GemmTerms.h"

#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"

using namespace llvm;

namespace drumlin::codegen {

// Returns an element of the padding: 0 converted to the operand's type. f8E8M0FNU has no 0, so its
// padding is NaN.
Constant *GemmTerms::paddingValue(Type *type) {
  bool isScale = info(elementTypeOf(mlir::getElementTypeOrSelf(lhs.getType()))).specials ==
                 FloatSpecials::ScaleOnly;
  return isScale ? ConstantFP::getNaN(type) : Constant::getNullValue(type);
}

// Emits an element of the input, or padding if the position is outside of the input or between
// dilated elements.
Lanes GemmTerms::convolutionInput(const IndexTuple *at) {
  ElementEmitter &e = frame.emitter;
  Type *type = e.computeType(elementTypeOf(mlir::getElementTypeOrSelf(lhs.getType())));
  return e.emitRead(lhs, e.readAt(fromLhs, at, lhs), Lanes{paddingValue(type)});
}

// Emits the elements of convolutionInput() for sizes known only at run time, where no indexing map
// describes the positions.
Lanes GemmTerms::convolutionInputBySizes(const LaneIndex &group, const LaneIndex &atM,
                                         const LaneIndex &atK) {
  auto convolution = cast<stablehlo::ConvolutionOp>(hero);
  auto numbers = convolution.getDimensionNumbers();
  ElementEmitter &e = frame.emitter;
  IndexBuilder &index = e.index();
  IRBuilder<> &b = frame.builder;
  auto inputType = cast<mlir::RankedTensorType>(lhs.getType());
  std::vector<SizeExpression> inputSizes = symbolicSizesOf(inputType);
  SmallVector<int64_t> nominal;
  for (auto [low, high] : convolution.paddingOrDefault()) {
    nominal.append({low, high});
  }
  std::vector<SizeExpression> padding =
      symbolicSizesOf(hero, convolution.getPaddingAttrName(), nominal);
  SmallVector<LaneIndex> dims(inputSizes.size());
  LaneIndex image = partBySizes(M, imagePosition, atM),
            feature = partBySizes(K, featurePosition, atK);
  auto inGroup = [&](const LaneIndex &place, const Size &count) {
    return index.add(index.multiply(group, e.extent(count.expression())), place);
  };
  dims[static_cast<size_t>(numbers.getInputBatchDimension())] =
      convolution.getBatchGroupCount() > 1 ? inGroup(image, sizes(M)[imagePosition]) : image;
  dims[static_cast<size_t>(numbers.getInputFeatureDimension())] =
      convolution.getFeatureGroupCount() > 1 ? inGroup(feature, sizes(K)[featurePosition])
                                             : feature;
  Value *inside = nullptr;
  auto spread = [&](Value *value, const LaneIndex &like) {
    return like.isUniform() ? value : b.CreateVectorSplat(index.width(), value);
  };
  for (size_t d = 0; d < windowPositions.size(); ++d) {
    auto dimension = static_cast<size_t>(numbers.getInputSpatialDimensions()[d]);
    LaneIndex element = partBySizes(K, windowPositions[d], atK);
    if (convolution.windowReversalOrDefault()[d]) {
      Value *last = e.extent((sizes(K)[windowPositions[d]] - 1).expression());
      element = index.add(index.scalar(last), index.multiply(element, -1));
    }
    LaneIndex position = index.add(index.multiply(partBySizes(M, outputPositions[d], atM),
                                                  convolution.windowStridesOrDefault()[d]),
                                   index.multiply(element, convolution.rhsDilationOrDefault()[d]));
    const SizeExpression &low = padding[2 * d], &high = padding[2 * d + 1];
    position = index.add(position, index.scalar(e.extent(SizeExpression(0) - low)));
    int64_t dilation = convolution.lhsDilationOrDefault()[d];
    if (low.constant() != 0 || high.constant() != 0 || dilation != 1) {
      SizeExpression size = inputSizes[dimension];
      SizeExpression dilated =
          dilation == 1 ? size : SizeExpression::larger((size - 1) * dilation + 1, 0);
      Value *place = index.asValue(position);
      Value *within = b.CreateICmpULT(place, spread(e.extent(dilated), position));
      if (dilation != 1) {
        Constant *by = ConstantInt::get(place->getType(), static_cast<uint64_t>(dilation));
        within = b.CreateAnd(within, b.CreateICmpEQ(b.CreateSRem(place, by),
                                                    Constant::getNullValue(place->getType())));
        Value *number = b.CreateSDiv(place, by);
        position = position.isUniform() ? index.scalar(number) : index.fromVector(number);
      }
      inside = inside ? index.both(inside, within) : within;
      position = index.leaving(position, Extent(e.extent(size)));
    }
    dims[dimension] = position;
  }
  const IndexTuple *from = index.tuple(e.extents(inputSizes), dims);
  Type *type = e.computeType(elementTypeOf(inputType.getElementType()));
  return e.emitRead(lhs, {from, inside}, Lanes{paddingValue(type)});
}

//===- windows as runs of the input -----------------------------------------===//

// Returns the index into dimension number `position` of a group of dimensions.
LaneIndex GemmTerms::part(unsigned group, size_t position, const LaneIndex &at) {
  IndexBuilder &index = frame.emitter.index();
  int64_t inner = 1;
  for (int64_t size : ArrayRef<int64_t>(groups[group]).drop_front(position + 1)) {
    inner *= size;
  }
  LaneIndex moved = index.divide(at, std::max<int64_t>(inner, 1));
  return position == 0 ? moved
                       : index.remainder(moved, std::max<int64_t>(groups[group][position], 1));
}

std::pair<int64_t, int64_t> GemmTerms::windowRowInside() const {
  auto convolution = cast<stablehlo::ConvolutionOp>(hero);
  int64_t width = lanes, features = shapeOf(lhs).back();
  int64_t low = convolution.paddingOrDefault().back().first * features;
  int64_t end = low + shapeOf(lhs)[windowPositions.size()] * features;
  int64_t first = (std::max<int64_t>(low, 0) + width - 1) / width * width;
  int64_t rounded = (windowRuns()->rowElements + width - 1) / width * width;
  int64_t last = std::clamp<int64_t>(end, 0, rounded) / width * width;
  return {std::min(first, rounded), std::max(last, std::min(first, rounded))};
}

Value *GemmTerms::windowRow(const LaneIndex &atM, const LaneIndex &atK, Value *element,
                            bool isInRow) {
  auto convolution = cast<stablehlo::ConvolutionOp>(hero);
  ElementEmitter &e = frame.emitter;
  IndexBuilder &index = e.index();
  IRBuilder<> &b = frame.builder;
  Shape shape(shapeOf(lhs));
  auto padding = convolution.paddingOrDefault();
  size_t last = windowPositions.size() - 1;
  LaneIndex row = part(M, imagePosition, atM);
  Value *inside = nullptr;
  for (size_t d = 0; d < last; ++d) {
    LaneIndex position = index.add(
        index.multiply(part(M, outputPositions[d], atM), convolution.windowStridesOrDefault()[d]),
        index.multiply(part(K, d, atK), convolution.rhsDilationOrDefault()[d]));
    position = index.addConstant(position, -padding[d].first);
    Value *within = b.CreateICmpULT(position.base, b.getInt64(static_cast<uint64_t>(shape[d + 1])));
    inside = inside ? b.CreateAnd(inside, within) : within;
    // A position outside is clamped, so that the address stays inside the tensor. All lanes are
    // masked then, so none reads it.
    Value *clamped = b.CreateSelect(within, position.base, b.getInt64(0));
    row = index.add(index.multiply(row, shape[d + 1]), index.scalar(clamped));
  }
  int64_t features = shape.back(), extent = shape[last + 1] * features;
  LaneIndex along =
      index.addConstant(index.laneOf(element, lanes), -padding[last].first * features);
  Value *mask = inside ? e.splat(inside) : nullptr;
  if (!isInRow) {
    along = index.leaving(along, extent);
    Value *positions = index.asVector(along);
    Value *isElement = b.CreateICmpULT(
        positions, ConstantInt::get(positions->getType(), static_cast<uint64_t>(extent)));
    mask = mask ? b.CreateAnd(mask, isElement) : isElement;
  }
  Value *saved = e.activeLanes();
  e.setActiveLanes(saved && mask ? b.CreateAnd(saved, mask) : mask ? mask : saved);
  e.pushScope();
  Lanes value = e.emit(lhs, index.tupleFromLinear(knownExtents(shape),
                                                  index.add(index.multiply(row, extent), along)));
  e.popScope();
  e.setActiveLanes(saved);
  Value *filled = e.splat(value.value);
  if (mask) {
    filled = b.CreateSelect(mask, filled, paddingValue(filled->getType()));
  }
  return asTerm({filled}, GemmOperand::Lhs);
}

} // namespace drumlin::codegen
