#include "drumlin/transforms/simplify/complex/ComplexPairs.h"

#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/ConcatenateOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/GatherOp.h"
#include "drumlin/ir/stablehlo/PadOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/SliceOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/ir/stablehlo/TransposeOp.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin {

RankedTensorType partType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.clone(cast<ComplexType>(tensor.getElementType()).getElementType());
}

RankedTensorType withLast(RankedTensorType type, ArrayRef<int64_t> last, size_t dropped) {
  SmallVector<int64_t> shape(type.getShape().drop_back(dropped));
  std::vector<SizeExpression> sizes = symbolicSizesOf(type);
  sizes.resize(shape.size());
  shape.append(last.begin(), last.end());
  sizes.insert(sizes.end(), last.begin(), last.end());
  return typeOfSizes(type.getElementType(), shape, sizes);
}

RankedTensorType pairType(Type type) { return withLast(partType(type), {2}); }

Value partOfPairs(OpBuilder &builder, Location loc, Value pairs, int64_t number) {
  auto type = cast<RankedTensorType>(pairs.getType());
  SmallVector<int64_t> starts(type.getShape().size(), 0), limits(type.getShape()),
      strides(starts.size(), 1);
  starts.back() = number;
  limits.back() = number + 1;
  auto slice = stablehlo::SliceOp::create(
      builder, loc, withLast(type, {1}, 1), pairs, builder.getDenseI64ArrayAttr(starts),
      builder.getDenseI64ArrayAttr(limits), builder.getDenseI64ArrayAttr(strides));
  std::vector<SizeExpression> sizes = symbolicSizesOf(type);
  sizes.back() = number + 1;
  setSymbolicSizes(slice, slice.getLimitIndicesAttrName(), sizes);
  return stablehlo::ReshapeOp::create(builder, loc, withLast(type, {}, 1), slice);
}

//===-- moving pairs --------------------------------------------------------------------------===//

// Returns the tensor of pairs from which partOfPairs() has extracted `part` with this number; null
// for other values.
static Value pairsOfPart(Value part, int64_t number) {
  auto reshape = part.getDefiningOp<stablehlo::ReshapeOp>();
  auto slice = reshape ? reshape.getOperand().getDefiningOp<stablehlo::SliceOp>() : nullptr;
  if (!slice || slice.getOperand().getType().getRank() == 0) {
    return {};
  }
  Value pairs = slice.getOperand();
  auto type = cast<RankedTensorType>(pairs.getType());
  bool isLast = type.getShape().back() == 2 && slice.getType() == withLast(type, {1}, 1) &&
                part.getType() == withLast(type, {}, 1);
  return isLast && slice.getStartIndices().back() == number ? pairs : Value();
}

static Value wholePairs(ComplexParts parts) {
  Value pairs = pairsOfPart(parts.real, 0);
  return pairs && pairs == pairsOfPart(parts.imaginary, 1) ? pairs : Value();
}

// Returns how many leading operands of a data-movement operation have their elements moved, or 0 if
// the operation can't be applied to (real, imaginary) pairs.
static unsigned movedOperands(Operation *op) {
  if (isa<stablehlo::ConcatenateOp>(op)) {
    return op->getNumOperands();
  }
  bool isMove = isa<stablehlo::BroadcastInDimOp, stablehlo::GatherOp, stablehlo::PadOp,
                    stablehlo::ReshapeOp, stablehlo::SliceOp, stablehlo::TransposeOp>(op);
  return isMove ? 1 : 0;
}

// Returns the value of a splat float constant, or of a splat integer constant that is converted to
// float, which is how jnp.pad() writes its complex padding.
static std::optional<APFloat> constantOf(Value value) {
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements))) {
    bool isNumber = elements.isSplat() && isa<FloatType>(elements.getElementType());
    return isNumber ? std::optional(elements.getSplatValue<APFloat>()) : std::nullopt;
  }
  auto convert = value.getDefiningOp<stablehlo::ConvertOp>();
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(value.getType()));
  if (!convert || !type || !matchPattern(convert.getOperand(), m_Constant(&elements)) ||
      !elements.isSplat()) {
    return std::nullopt;
  }
  auto integer = dyn_cast<IntegerType>(elements.getElementType());
  if (!integer || integer.getWidth() == 1) {
    return std::nullopt;
  }
  APFloat number(type.getFloatSemantics());
  number.convertFromAPInt(elements.getSplatValue<APInt>(), !integer.isUnsigned(),
                          APFloat::rmNearestTiesToEven);
  return number;
}

// Returns whether two index tensors, or two padding values, are equal.
static bool isSame(Value a, Value b) {
  DenseElementsAttr elements, others;
  if (a == b || (matchPattern(a, m_Constant(&elements)) && matchPattern(b, m_Constant(&others)) &&
                 elements == others)) {
    return true;
  }
  std::optional<APFloat> one = constantOf(a), other = constantOf(b);
  return one && other && a.getType() == b.getType() && one->bitwiseIsEqual(*other);
}

// Returns whether the real and imaginary parts come from one tensor of pairs through equal data
// movement.
static bool areMovedAlike(ComplexParts parts, bool isRoot = true) {
  if (wholePairs(parts)) {
    return true;
  }
  Operation *real = parts.real.getDefiningOp(), *imaginary = parts.imaginary.getDefiningOp();
  if (!real || !imaginary || real == imaginary || real->getName() != imaginary->getName() ||
      real->getAttrDictionary() != imaginary->getAttrDictionary() ||
      hasSymbolicSizes(parts.real.getType())) {
    return false;
  }
  unsigned moved = movedOperands(real);
  bool isRead = isRoot ? !real->use_empty() || !imaginary->use_empty()
                       : !real->hasOneUse() || !imaginary->hasOneUse();
  if (moved == 0 || isRead) {
    return false;
  }
  for (unsigned i = 0; i < real->getNumOperands(); ++i) {
    Value a = real->getOperand(i), b = imaginary->getOperand(i);
    if (i < moved ? !areMovedAlike({a, b}, false) : !isSame(a, b)) {
      return false;
    }
  }
  return true;
}

// Adds the last dimension, for the real and imaginary parts, to an operation's attributes.
static void extendMove(Operation *op, int64_t operandRank, int64_t resultRank) {
  Builder builder(op->getContext());
  auto append = [&](StringRef name, int64_t value) {
    auto before = op->getAttrOfType<DenseI64ArrayAttr>(name);
    SmallVector<int64_t> numbers(before.asArrayRef());
    numbers.push_back(value);
    op->setAttr(name, builder.getDenseI64ArrayAttr(numbers));
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<stablehlo::SliceOp>([&](auto slice) {
        append(slice.getStartIndicesAttrName(), 0);
        append(slice.getLimitIndicesAttrName(), 2);
        append(slice.getStridesAttrName(), 1);
      })
      .Case<stablehlo::TransposeOp>(
          [&](auto turn) { append(turn.getPermutationAttrName(), operandRank); })
      .Case<stablehlo::BroadcastInDimOp>(
          [&](auto spread) { append(spread.getBroadcastDimensionsAttrName(), resultRank); })
      .Case<stablehlo::PadOp>([&](auto pad) {
        append(pad.getEdgePaddingLowAttrName(), 0);
        append(pad.getEdgePaddingHighAttrName(), 0);
        append(pad.getInteriorPaddingAttrName(), 0);
      })
      .Case<stablehlo::GatherOp>([&](stablehlo::GatherOp gather) {
        append(gather.getSliceSizesAttrName(), 2);
        stablehlo::GatherDimensionNumbersAttr numbers = gather.getDimensionNumbers();
        SmallVector<int64_t> offsets(numbers.getOffsetDims());
        offsets.push_back(resultRank);
        gather.setDimensionNumbersAttr(stablehlo::GatherDimensionNumbersAttr::get(
            op->getContext(), offsets, numbers.getCollapsedSliceDims(),
            numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims(),
            numbers.getStartIndexMap(), numbers.getIndexVectorDim()));
      });
}

static Value movedPairs(OpBuilder &builder, ComplexParts parts) {
  if (Value whole = wholePairs(parts)) {
    return whole;
  }
  Operation *real = parts.real.getDefiningOp(), *imaginary = parts.imaginary.getDefiningOp();
  auto operandType = cast<RankedTensorType>(real->getOperand(0).getType());
  auto type = cast<RankedTensorType>(parts.real.getType());
  OperationState state(real->getLoc(), real->getName());
  state.addAttributes(real->getAttrs());
  for (unsigned i = 0; i < real->getNumOperands(); ++i) {
    ComplexParts operands = {real->getOperand(i), imaginary->getOperand(i)};
    state.addOperands(i < movedOperands(real) ? movedPairs(builder, operands) : operands.real);
  }
  state.addTypes(withLast(type, {2}));
  Operation *made = builder.create(state);
  extendMove(made, operandType.getRank(), type.getRank());
  return made->getResult(0);
}

Value pairsOf(OpBuilder &builder, Location loc, ComplexParts parts) {
  if (areMovedAlike(parts)) {
    return movedPairs(builder, parts);
  }
  auto type = cast<RankedTensorType>(parts.real.getType());
  SmallVector<Value> columns;
  for (Value part : {parts.real, parts.imaginary}) {
    columns.push_back(stablehlo::ReshapeOp::create(builder, loc, withLast(type, {1}), part));
  }
  return stablehlo::ConcatenateOp::create(builder, loc, withLast(type, {2}), columns,
                                          static_cast<uint64_t>(type.getRank()));
}

} // namespace drumlin
