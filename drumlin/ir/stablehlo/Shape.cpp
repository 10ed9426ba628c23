// Verifiers of operations that move elements, and builders that infer the result type.
#include "drumlin/ir/stablehlo/Assembly.h"
#include "drumlin/ir/stablehlo/Constraints.h"
#include "drumlin/ir/stablehlo/ShapeOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Shape.cpp.inc"

namespace drumlin::stablehlo {

void StablehloDialect::addShapeOperations() {
  addOperations<
#define GET_OP_LIST
#include "drumlin/ir/stablehlo/Shape.cpp.inc"
      >();
}

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static RankedTensorType withShape(Value value, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, typeOf(value).getElementType());
}

//===-- bitcast_convert, reshape --------------------------------------------------------------===//

// Returns the number of bits of one element: of the storage type for quantized elements, and of
// both the real and the imaginary part for complex elements.
static int64_t elementBits(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (auto quantized = dyn_cast<quant::QuantizedType>(element)) {
    return quantized.getStorageTypeIntegralWidth();
  }
  auto complex = dyn_cast<ComplexType>(element);
  return complex ? 2 * complex.getElementType().getIntOrFloatBitWidth()
                 : element.getIntOrFloatBitWidth();
}

OperationClass BitcastConvertOp::operationClass() {
  return getOperand().getType().getShape() == getType().getShape() ? OperationClass::Pointwise
                                                                   : OperationClass::Other;
}

LogicalResult BitcastConvertOp::verify() {
  RankedTensorType operand = getOperand().getType(), result = getType();
  // bitcast_convert_c2
  bool operandComplex = isa<ComplexType>(operand.getElementType());
  bool resultComplex = isa<ComplexType>(result.getElementType());
  if (operandComplex != resultComplex) {
    return emitOpError() << "expects both or neither of operand and result of complex numbers, got "
                         << operand << " and " << result << " (bitcast_convert_c2)";
  }
  // bitcast_convert_c1: the tensor of the wider type has one dimension less, and each of its
  // elements consists of the elements along the last dimension of the tensor of the narrower type.
  int64_t operandBits = elementBits(operand), resultBits = elementBits(result);
  auto emit = [&] { return emitOpError(); };
  if (operandBits == resultBits) {
    return checkShape(emit, "bitcast_convert_c1", "the result", result.getShape(),
                      operand.getShape());
  }
  bool narrows = resultBits < operandBits;
  ArrayRef<int64_t> wide = narrows ? operand.getShape() : result.getShape();
  ArrayRef<int64_t> narrow = narrows ? result.getShape() : operand.getShape();
  int64_t wideBits = std::max(operandBits, resultBits),
          narrowBits = std::min(operandBits, resultBits);
  if (narrow.size() != wide.size() + 1 || !areCompatible(narrow.drop_back(), wide) ||
      wideBits % narrowBits != 0 || !areCompatible(narrow.back(), wideBits / narrowBits)) {
    return emitOpError() << "expects shapes that differ by a last dimension of " << wideBits
                         << " / " << narrowBits << " elements, got " << operand << " and " << result
                         << " (bitcast_convert_c1)";
  }
  return success();
}

// Returns the number of elements of a tensor of this shape; nothing if the number overflows
// int64_t.
static std::optional<int64_t> elementCount(ArrayRef<int64_t> shape) {
  if (llvm::is_contained(shape, 0)) {
    return 0;
  }
  int64_t count = 1;
  for (int64_t size : shape) {
    if (llvm::MulOverflow(count, size, count)) {
      return std::nullopt;
    }
  }
  return count;
}

// Returns the product of the sizes before an axis, the size along it, and the product of the sizes
// after it. A product is kDynamic if one of its factors is.
static std::array<int64_t, 3> aroundAxis(ArrayRef<int64_t> shape, int64_t axis) {
  auto product = [](ArrayRef<int64_t> sizes) -> int64_t {
    if (llvm::any_of(sizes, ShapedType::isDynamic)) {
      return ShapedType::kDynamic;
    }
    return elementCount(sizes).value_or(ShapedType::kDynamic);
  };
  return {product(shape.take_front(axis)), shape[axis], product(shape.drop_front(axis + 1))};
}

LogicalResult verifyReshape(Operation *op, StringRef elementLabel, StringRef sizeLabel,
                            StringRef axisLabel) {
  auto emit = [&] { return op->emitOpError(); };
  RankedTensorType operand = typeOf(op->getOperand(0)), result = typeOf(op->getResult(0));
  if (failed(checkMovedElementType(emit, elementLabel, result, operand))) {
    return failure();
  }
  if (operand.hasStaticShape() && result.hasStaticShape()) {
    std::optional<int64_t> from = elementCount(operand.getShape());
    std::optional<int64_t> to = elementCount(result.getShape());
    if (!from || !to) {
      return emit() << "has a tensor whose number of elements overflows 64 bits (" << sizeLabel
                    << ")";
    }
    if (*from != *to) {
      return emit() << "expects a result of " << *from << " elements as the operand, got " << *to
                    << " (" << sizeLabel << ")";
    }
  }
  auto fromAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(operand.getElementType());
  auto toAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(result.getElementType());
  if (fromAxis && toAxis &&
      !areCompatible(aroundAxis(operand.getShape(), fromAxis.getQuantizedDimension()),
                     aroundAxis(result.getShape(), toAxis.getQuantizedDimension()))) {
    return emit() << "expects equal numbers of elements before, along and after the quantized "
                     "dimension of operand and result, got "
                  << operand << " and " << result << " (" << axisLabel << ")";
  }
  return success();
}

LogicalResult ReshapeOp::verify() {
  // reshape_c1, reshape_c2, reshape_c3
  if (failed(verifyReshape(*this, "reshape_c1", "reshape_c2", "reshape_c3"))) {
    return failure();
  }
  return checkStaticOrSingleBounded([&] { return emitOpError(); }, "reshape_c2", getType());
}

//===-- broadcast_in_dim, transpose, reverse --------------------------------------------------===//

LogicalResult verifyBroadcast(Operation *op, ArrayRef<int64_t> dimensions, const Twine &name) {
  auto emit = [&] { return op->emitOpError(); };
  auto label = [&](int number) { return (name + "_c" + Twine(number)).str(); };
  RankedTensorType operand = typeOf(op->getOperand(0)), result = typeOf(op->getResult(0));
  // broadcast_in_dim_c1, broadcast_in_dim_c2, broadcast_in_dim_c3, broadcast_in_dim_c4
  if (failed(checkMovedElementType(emit, label(1), result, operand, /*mayRescale=*/true)) ||
      failed(checkSize(emit, label(2), "broadcast dimensions", dimensions.size(),
                       operand.getRank())) ||
      failed(checkInRange(emit, label(3), "broadcast dimensions", dimensions, result.getRank())) ||
      failed(checkUnique(emit, label(4), "broadcast dimensions", dimensions))) {
    return failure();
  }
  // broadcast_in_dim_c5
  for (auto [size, dimension] : llvm::zip_equal(operand.getShape(), dimensions)) {
    if (size != 1 && !areCompatible(size, result.getDimSize(dimension))) {
      return emit() << "expects the operand's size 1 or " << result.getDimSize(dimension)
                    << " for result dimension " << dimension << ", got " << size << " (" << label(5)
                    << ")";
    }
  }
  // broadcast_in_dim_c6
  auto from = dyn_cast<quant::UniformQuantizedPerAxisType>(operand.getElementType());
  auto to = dyn_cast<quant::UniformQuantizedPerAxisType>(result.getElementType());
  if (!from || !to) {
    return success();
  }
  if (to.getQuantizedDimension() != dimensions[from.getQuantizedDimension()]) {
    return emit() << "expects the result's quantized dimension to be "
                  << dimensions[from.getQuantizedDimension()]
                  << ", to which the operand's is broadcast, got " << to.getQuantizedDimension()
                  << " (" << label(6) << ")";
  }
  bool repeats = operand.getDimSize(from.getQuantizedDimension()) == 1;
  for (size_t i = 0; i < to.getScales().size(); ++i) {
    size_t source = repeats ? 0 : i;
    if (source >= from.getScales().size() || to.getScales()[i] != from.getScales()[source] ||
        to.getZeroPoints()[i] != from.getZeroPoints()[source]) {
      return emit() << "expects scale and zero point " << i << " of the result to be " << source
                    << " of the operand, got " << result << " and " << operand << " (" << label(6)
                    << ")";
    }
  }
  return success();
}

LogicalResult BroadcastInDimOp::verify() {
  if (failed(verifyBroadcast(*this, getBroadcastDimensions(), "broadcast_in_dim"))) {
    return failure();
  }
  return checkStaticOrSingleBounded([&] { return emitOpError(); }, "broadcast_in_dim_c5",
                                    getType());
}

void TransposeOp::build(OpBuilder &builder, OperationState &state, Value operand,
                        ArrayRef<int64_t> permutation) {
  auto shape = llvm::map_to_vector(permutation, [&](int64_t d) { return shapeOf(operand)[d]; });
  build(builder, state, withShape(operand, shape), operand,
        builder.getDenseI64ArrayAttr(permutation));
}

LogicalResult TransposeOp::verify() {
  auto emit = [&] { return emitOpError(); };
  ArrayRef<int64_t> operand = shapeOf(getOperand()), permutation = getPermutation();
  // transpose_c1, transpose_c2
  if (failed(checkMovedElementType(emit, "transpose_c1", getType(), getOperand().getType())) ||
      failed(checkSize(emit, "transpose_c2", "dimensions in the permutation", permutation.size(),
                       operand.size())) ||
      failed(checkInRange(emit, "transpose_c2", "the permutation", permutation, operand.size())) ||
      failed(checkUnique(emit, "transpose_c2", "the permutation", permutation))) {
    return failure();
  }
  // transpose_c3
  auto expected = llvm::map_to_vector(permutation, [&](int64_t d) { return operand[d]; });
  if (failed(checkShape(emit, "transpose_c3", "the result", getType().getShape(), expected))) {
    return failure();
  }
  // transpose_c4
  auto from = dyn_cast<quant::UniformQuantizedPerAxisType>(getOperand().getType().getElementType());
  auto to = dyn_cast<quant::UniformQuantizedPerAxisType>(getType().getElementType());
  if (from && to && from.getQuantizedDimension() != permutation[to.getQuantizedDimension()]) {
    return emitOpError() << "expects the result's quantized dimension "
                         << to.getQuantizedDimension() << " to come from the operand's "
                         << from.getQuantizedDimension() << ", got "
                         << permutation[to.getQuantizedDimension()] << " (transpose_c4)";
  }
  return success();
}

LogicalResult ReverseOp::verify() {
  auto emit = [&] { return emitOpError(); };
  // reverse_c2, reverse_c3
  return success(succeeded(checkUnique(emit, "reverse_c2", "dimensions", getDimensions())) &&
                 succeeded(checkInRange(emit, "reverse_c3", "dimensions", getDimensions(),
                                        getType().getRank())));
}

//===-- concatenate, pad ----------------------------------------------------------------------===//

void ConcatenateOp::build(OpBuilder &builder, OperationState &state, ValueRange inputs,
                          int64_t dimension) {
  SmallVector<int64_t> shape(shapeOf(inputs[0]));
  for (Value input : inputs.drop_front()) {
    shape[dimension] += shapeOf(input)[dimension];
  }
  build(builder, state, withShape(inputs[0], shape), inputs, builder.getI64IntegerAttr(dimension));
}

LogicalResult ConcatenateOp::verify() {
  auto emit = [&] { return emitOpError(); };
  // concatenate_c3
  if (getInputs().empty()) {
    return emitOpError() << "expects at least one input (concatenate_c3)";
  }
  RankedTensorType first = typeOf(getInputs()[0]);
  int64_t dimension = getDimension();
  // concatenate_c4
  if (failed(checkInRange(emit, "concatenate_c4", "dimension", dimension, first.getRank()))) {
    return failure();
  }
  SmallVector<int64_t> expected(first.getShape());
  expected[dimension] = 0;
  for (Value input : getInputs()) {
    // concatenate_c1
    if (failed(checkElementType(emit, "concatenate_c1", "each input", input.getType(), first))) {
      return failure();
    }
    // concatenate_c2
    SmallVector<int64_t> shape(shapeOf(input)), other(first.getShape());
    if (shape.size() == other.size()) {
      other[dimension] = shape[dimension];
    }
    if (failed(checkShape(emit, "concatenate_c2", "each input", shape, other))) {
      return failure();
    }
    if (isDynamic(expected[dimension]) || isDynamic(shape[dimension])) {
      expected[dimension] = ShapedType::kDynamic;
    } else if (llvm::AddOverflow(expected[dimension], shape[dimension], expected[dimension])) {
      return emitOpError() << "has a result size that overflows 64 bits (concatenate_c6)";
    }
  }
  // concatenate_c5, concatenate_c6
  return success(
      succeeded(checkElementType(emit, "concatenate_c5", "the result", getType(), first)) &&
      succeeded(checkShape(emit, "concatenate_c6", "the result", getType().getShape(), expected)));
}

std::optional<int64_t> paddedSize(int64_t size, int64_t low, int64_t high, int64_t interior) {
  if (isDynamic(size)) {
    return size;
  }
  int64_t gaps;
  if (llvm::MulOverflow(std::max<int64_t>(size - 1, 0), interior, gaps) ||
      llvm::AddOverflow(size, gaps, size) || llvm::AddOverflow(size, low, size) ||
      llvm::AddOverflow(size, high, size)) {
    return std::nullopt;
  }
  return size;
}

void PadOp::build(OpBuilder &builder, OperationState &state, Value operand, Value paddingValue,
                  ArrayRef<int64_t> low, ArrayRef<int64_t> high, ArrayRef<int64_t> interior) {
  SmallVector<int64_t> shape;
  for (auto [d, size] : llvm::enumerate(shapeOf(operand))) {
    std::optional<int64_t> padded = paddedSize(size, low[d], high[d], interior[d]);
    assert(padded && "a compiler-made pad has a representable size");
    shape.push_back(*padded);
  }
  build(builder, state, withShape(operand, shape), operand, paddingValue,
        builder.getDenseI64ArrayAttr(low), builder.getDenseI64ArrayAttr(high),
        builder.getDenseI64ArrayAttr(interior));
}

LogicalResult PadOp::verify() {
  auto emit = [&] { return emitOpError(); };
  ArrayRef<int64_t> operand = shapeOf(getOperand());
  ArrayRef<int64_t> low = getEdgePaddingLow(), high = getEdgePaddingHigh(),
                    interior = getInteriorPadding();
  // pad_c1
  if (failed(checkElementType(emit, "pad_c1", "the padding value", getPaddingValue().getType(),
                              getOperand().getType())) ||
      failed(checkElementType(emit, "pad_c1", "the result", getType(), getOperand().getType()))) {
    return failure();
  }
  // pad_c2, pad_c3
  if (failed(checkSize(emit, "pad_c2", "low paddings", low.size(), operand.size())) ||
      failed(checkSize(emit, "pad_c2", "high paddings", high.size(), operand.size())) ||
      failed(checkSize(emit, "pad_c2", "interior paddings", interior.size(), operand.size())) ||
      failed(checkAtLeast(emit, "pad_c3", "interior padding", interior, 0))) {
    return failure();
  }
  // pad_c4
  SmallVector<int64_t> expected;
  for (auto [d, size] : llvm::enumerate(operand)) {
    std::optional<int64_t> padded = paddedSize(size, low[d], high[d], interior[d]);
    int64_t bound = isDynamic(size) ? boundOf(getOperand().getType(), d) : size;
    std::optional<int64_t> most = paddedSize(bound, low[d], high[d], interior[d]);
    if (!most || (*most < 0 && !isDynamic(*most))) {
      padded = most;
    }
    if (!padded || (*padded < 0 && !isDynamic(*padded))) {
      return emitOpError() << "pads dimension " << d << " of size " << size
                           << (padded ? " to a negative size" : " to a size that overflows 64 bits")
                           << " (pad_c4)";
    }
    expected.push_back(*padded);
  }
  return checkShape(emit, "pad_c4", "the result", getType().getShape(), expected);
}

//===-- slices --------------------------------------------------------------------------------===//

// Returns ceil((limit - start) / stride) for 0 <= start <= limit and 0 < stride.
static int64_t sliceSize(int64_t start, int64_t limit, int64_t stride) {
  return limit == start ? 0 : (limit - start - 1) / stride + 1;
}

void SliceOp::build(OpBuilder &builder, OperationState &state, Value operand,
                    ArrayRef<int64_t> start, ArrayRef<int64_t> limit, ArrayRef<int64_t> strides) {
  SmallVector<int64_t> shape;
  for (size_t d = 0; d < start.size(); ++d) {
    shape.push_back(sliceSize(start[d], limit[d], strides[d]));
  }
  build(builder, state, withShape(operand, shape), operand, builder.getDenseI64ArrayAttr(start),
        builder.getDenseI64ArrayAttr(limit), builder.getDenseI64ArrayAttr(strides));
}

LogicalResult SliceOp::verify() {
  auto emit = [&] { return emitOpError(); };
  ArrayRef<int64_t> operand = shapeOf(getOperand());
  ArrayRef<int64_t> start = getStartIndices(), limit = getLimitIndices(), strides = getStrides();
  // slice_c1, slice_c2
  if (failed(checkElementType(emit, "slice_c1", "the result", getType(), getOperand().getType())) ||
      failed(checkSize(emit, "slice_c2", "start indices", start.size(), operand.size())) ||
      failed(checkSize(emit, "slice_c2", "limit indices", limit.size(), operand.size())) ||
      failed(checkSize(emit, "slice_c2", "strides", strides.size(), operand.size()))) {
    return failure();
  }
  // slice_c3, slice_c4
  for (size_t d = 0; d < operand.size(); ++d) {
    int64_t most = isDynamic(operand[d]) ? boundOf(typeOf(getOperand()), d) : operand[d];
    if (start[d] < 0 || start[d] > limit[d] || (!isDynamic(most) && limit[d] > most)) {
      return emitOpError() << "expects 0 <= start <= limit <= " << most << " in dimension " << d
                           << ", got " << start[d] << " and " << limit[d] << " (slice_c3)";
    }
  }
  if (failed(checkAtLeast(emit, "slice_c4", "strides", strides, 1))) {
    return failure();
  }
  // slice_c5
  SmallVector<int64_t> expected;
  for (size_t d = 0; d < operand.size(); ++d) {
    expected.push_back(sliceSize(start[d], limit[d], strides[d]));
  }
  return checkShape(emit, "slice_c5", "the result", getType().getShape(), expected);
}

// Checks that all start indices have the same type. `label` is dynamic_slice_c3 or
// dynamic_update_slice_c5.
static LogicalResult checkStartIndices(EmitError emit, StringRef label, OperandRange indices) {
  for (Value index : indices) {
    if (failed(checkType(emit, label, "each start index", index.getType(), indices[0].getType()))) {
      return failure();
    }
  }
  return success();
}

void DynamicSliceOp::build(OpBuilder &builder, OperationState &state, Value operand,
                           ValueRange startIndices, ArrayRef<int64_t> sliceSizes) {
  build(builder, state, withShape(operand, sliceSizes), operand, startIndices,
        builder.getDenseI64ArrayAttr(sliceSizes));
}

LogicalResult DynamicSliceOp::verify() {
  auto emit = [&] { return emitOpError(); };
  ArrayRef<int64_t> operand = shapeOf(getOperand()), sizes = getSliceSizes();
  // dynamic_slice_c1, dynamic_slice_c2, dynamic_slice_c3
  if (failed(checkElementType(emit, "dynamic_slice_c1", "the result", getType(),
                              getOperand().getType())) ||
      failed(checkSize(emit, "dynamic_slice_c2", "start indices", getStartIndices().size(),
                       operand.size())) ||
      failed(checkSize(emit, "dynamic_slice_c2", "slice sizes", sizes.size(), operand.size())) ||
      failed(checkStartIndices(emit, "dynamic_slice_c3", getStartIndices()))) {
    return failure();
  }
  // dynamic_slice_c4
  for (auto [d, size] : llvm::enumerate(sizes)) {
    if (size < 0 || (!isDynamic(operand[d]) && size > operand[d])) {
      return emitOpError() << "expects a slice size in [0, " << operand[d] << "] for dimension "
                           << d << ", got " << size << " (dynamic_slice_c4)";
    }
  }
  // dynamic_slice_c5
  return checkShape(emit, "dynamic_slice_c5", "the result", getType().getShape(), sizes);
}

void DynamicUpdateSliceOp::build(OpBuilder &builder, OperationState &state, Value operand,
                                 Value update, ValueRange startIndices) {
  build(builder, state, operand.getType(), operand, update, startIndices);
}

LogicalResult DynamicUpdateSliceOp::verify() {
  auto emit = [&] { return emitOpError(); };
  RankedTensorType operand = getOperand().getType(), update = getUpdate().getType();
  // dynamic_update_slice_c1, dynamic_update_slice_c2
  if (failed(checkType(emit, "dynamic_update_slice_c1", "the result", getType(), operand)) ||
      failed(checkElementType(emit, "dynamic_update_slice_c2", "the update", update, operand))) {
    return failure();
  }
  // dynamic_update_slice_c3, dynamic_update_slice_c4, dynamic_update_slice_c5
  if (failed(checkSize(emit, "dynamic_update_slice_c3", "dimensions of the update",
                       update.getRank(), operand.getRank())) ||
      failed(checkSize(emit, "dynamic_update_slice_c4", "start indices", getStartIndices().size(),
                       operand.getRank())) ||
      failed(checkStartIndices(emit, "dynamic_update_slice_c5", getStartIndices()))) {
    return failure();
  }
  // dynamic_update_slice_c6
  for (auto [d, size] : llvm::enumerate(update.getShape())) {
    if (!isDynamic(size) && !operand.isDynamicDim(d) && size > operand.getDimSize(d)) {
      return emitOpError() << "expects an update size of at most " << operand.getDimSize(d)
                           << " in dimension " << d << ", got " << size
                           << " (dynamic_update_slice_c6)";
    }
  }
  return success();
}

//===-- indexing ------------------------------------------------------------------------------===//

IndexingMap BitcastConvertOp::indexingOf(OpOperand &operand, unsigned result) {
  IndexingBuilder made = indexingBuilder(operand, result);
  ArrayRef<int64_t> from = shapeOf(getOperand()), to = shapeOf(getResult());
  for (size_t d = 0; d < from.size(); ++d) {
    // If the element types have different widths, the tensor of the narrower type has an additional
    // last dimension.
    made.at(d) = d < to.size() ? made.dim(d) : made.all(from[d]);
  }
  return made.finish();
}

IndexingMap BroadcastInDimOp::indexingOf(OpOperand &operand, unsigned result) {
  IndexingBuilder made = indexingBuilder(operand, result);
  for (auto [d, to] : llvm::enumerate(getBroadcastDimensions())) {
    if (shapeOf(getOperand())[d] != 1) {
      made.at(d) = made.dim(static_cast<size_t>(to));
    }
  }
  return made.finish();
}

IndexingMap ConcatenateOp::indexingOf(OpOperand &operand, unsigned result) {
  IndexingBuilder made = indexingBuilder(operand, result);
  auto along = static_cast<size_t>(getDimension());
  int64_t offset = 0;
  for (Value before : getInputs().take_front(operand.getOperandNumber())) {
    offset += shapeOf(before)[along];
  }
  ArrayRef<int64_t> shape = shapeOf(operand.get());
  for (size_t d = 0; d < shape.size(); ++d) {
    made.at(d) = made.dim(d);
  }
  made.at(along) = made.dim(along) - offset;
  made.constrain(made.dim(along), offset, offset + shape[along] - 1);
  return made.finish();
}

IndexingMap DynamicSliceOp::indexingOf(OpOperand &operand, unsigned result) {
  if (operand.getOperandNumber() != 0) {
    return indexingByDefault(operand, result);
  }
  IndexingBuilder made = indexingBuilder(operand, result);
  for (auto [d, start] : llvm::enumerate(getStartIndices())) {
    int64_t starts = shapeOf(getOperand())[d] - getSliceSizes()[d] + 1;
    made.at(d) = made.dim(d) + made.load(start, {}, starts);
  }
  return made.finish();
}

// The operand is read only outside of the updated slice, but the map does not exclude the elements
// in this slice.
IndexingMap DynamicUpdateSliceOp::indexingOf(OpOperand &operand, unsigned result) {
  IndexingBuilder made = indexingBuilder(operand, result);
  if (operand.get() == getOperand() && operand.getOperandNumber() == 0) {
    return IndexingMap::identity(shapeOf(getOperand()), getContext());
  }
  if (operand.getOperandNumber() != 1) {
    return indexingByDefault(operand, result);
  }
  for (auto [d, start] : llvm::enumerate(getStartIndices())) {
    int64_t size = shapeOf(getUpdate())[d];
    int64_t starts = shapeOf(getOperand())[d] - size + 1;
    made.at(d) = made.dim(d) - made.load(start, {}, starts);
    made.constrain(made.at(d), 0, size - 1);
  }
  return made.finish();
}

// pad(x, p)[i] = x[(i - low) / (interior + 1)] if this index is an integer and inside x, else p.
IndexingMap PadOp::indexingOf(OpOperand &operand, unsigned result) {
  if (operand.getOperandNumber() != 0) {
    return indexingByDefault(operand, result);
  }
  IndexingBuilder made = indexingBuilder(operand, result);
  for (auto [d, low] : llvm::enumerate(getEdgePaddingLow())) {
    made.at(d) =
        made.undilated(made.dim(d) - low, getInteriorPadding()[d] + 1, shapeOf(getOperand())[d]);
  }
  return made.finish();
}

IndexingMap ReshapeOp::indexingOf(OpOperand &operand, unsigned result) {
  return reshapeIndexing(operand, result);
}

IndexingMap ReverseOp::indexingOf(OpOperand &operand, unsigned result) {
  IndexingBuilder made = indexingBuilder(operand, result);
  for (auto [d, size] : llvm::enumerate(shapeOf(getOperand()))) {
    bool isReversed = llvm::is_contained(getDimensions(), static_cast<int64_t>(d));
    made.at(d) = isReversed ? size - 1 - made.dim(d) : made.dim(d);
  }
  return made.finish();
}

IndexingMap SliceOp::indexingOf(OpOperand &operand, unsigned result) {
  IndexingBuilder made = indexingBuilder(operand, result);
  for (auto [d, start] : llvm::enumerate(getStartIndices())) {
    made.at(d) = made.dim(d) * getStrides()[d] + start;
  }
  return made.finish();
}

IndexingMap TransposeOp::indexingOf(OpOperand &operand, unsigned result) {
  IndexingBuilder made = indexingBuilder(operand, result);
  for (auto [d, from] : llvm::enumerate(getPermutation())) {
    made.at(static_cast<size_t>(from)) = made.dim(d);
  }
  return made.finish();
}

} // namespace drumlin::stablehlo
