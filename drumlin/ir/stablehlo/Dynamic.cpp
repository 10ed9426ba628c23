// Verifiers of operations whose result's shape is known only at run time.
#include "drumlin/ir/stablehlo/Assembly.h"
#include "drumlin/ir/stablehlo/Constraints.h"
#include "drumlin/ir/stablehlo/DynamicOps.h"
#include "drumlin/support/Tensor.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Dynamic.cpp.inc"

namespace drumlin::stablehlo {

void StablehloDialect::addDynamicOperations() {
  addOperations<
#define GET_OP_LIST
#include "drumlin/ir/stablehlo/Dynamic.cpp.inc"
      >();
}

// Checks that a shape operand has one element per result dimension and, if it is a constant, the
// sizes of the result.
static LogicalResult checkShapeValue(EmitError emit, StringRef label, Value shape,
                                     RankedTensorType result) {
  auto type = cast<RankedTensorType>(shape.getType());
  if (type.isDynamicDim(0)) {
    return emit() << "expects a shape of known length, got " << type << " (" << label << ")";
  }
  if (failed(checkSize(emit, label, "sizes of the result", type.getDimSize(0), result.getRank()))) {
    return failure();
  }
  std::optional<SmallVector<int64_t>> sizes = constantIntegers(shape);
  if (!sizes) {
    return success();
  }
  return success(succeeded(checkAtLeast(emit, label, "sizes of the result", *sizes, 0)) &&
                 succeeded(checkShape(emit, label, "the result", result.getShape(), *sizes)));
}

LogicalResult DynamicBroadcastInDimOp::verify() {
  auto emit = [&] { return emitOpError(); };
  // dynamic_broadcast_in_dim_c1, dynamic_broadcast_in_dim_c2, dynamic_broadcast_in_dim_c3,
  // dynamic_broadcast_in_dim_c4, dynamic_broadcast_in_dim_c5, dynamic_broadcast_in_dim_c6,
  // dynamic_broadcast_in_dim_c7
  if (failed(verifyBroadcast(*this, getBroadcastDimensions(), "dynamic_broadcast_in_dim")) ||
      failed(
          checkShapeValue(emit, "dynamic_broadcast_in_dim_c7", getOutputDimensions(), getType()))) {
    return failure();
  }
  // dynamic_broadcast_in_dim_c5, if the shape is a constant.
  std::optional<SmallVector<int64_t>> shape = constantIntegers(getOutputDimensions());
  for (auto [d, target] : llvm::enumerate(getBroadcastDimensions())) {
    int64_t size = shapeOf(getOperand())[d];
    if (shape && size != 1 && !areCompatible(size, (*shape)[target])) {
      return emitOpError() << "expects dimension " << d << " of size 1 or " << (*shape)[target]
                           << ", that of the result, got " << size
                           << " (dynamic_broadcast_in_dim_c5)";
    }
  }
  ArrayRef<int64_t> expanding = getKnownExpandingDimensions().value_or(ArrayRef<int64_t>());
  ArrayRef<int64_t> nonexpanding = getKnownNonexpandingDimensions().value_or(ArrayRef<int64_t>());
  SmallVector<int64_t> known(expanding);
  llvm::append_range(known, nonexpanding);
  int64_t rank = getOperand().getType().getRank();
  // dynamic_broadcast_in_dim_c8, dynamic_broadcast_in_dim_c9, dynamic_broadcast_in_dim_c10
  return success(succeeded(checkUnique(emit, "dynamic_broadcast_in_dim_c8",
                                       "known expanding and nonexpanding dimensions", known)) &&
                 succeeded(checkInRange(emit, "dynamic_broadcast_in_dim_c9",
                                        "known expanding dimensions", expanding, rank)) &&
                 succeeded(checkInRange(emit, "dynamic_broadcast_in_dim_c10",
                                        "known nonexpanding dimensions", nonexpanding, rank)));
}

LogicalResult DynamicGatherOp::verify() {
  RankedTensorType sizes = getSliceSizes().getType();
  // dynamic_gather_i3
  if (sizes.getRank() != 1 || !sizes.hasStaticShape()) {
    return emitOpError() << "expects slice sizes of rank 1 and known length, got " << sizes
                         << " (dynamic_gather_i3)";
  }
  std::optional<SmallVector<int64_t>> known = constantIntegers(getSliceSizes());
  SmallVector<int64_t> unknown(sizes.getDimSize(0), ShapedType::kDynamic);
  // dynamic_gather_c1, dynamic_gather_c2, dynamic_gather_c3, dynamic_gather_c4, dynamic_gather_c5,
  // dynamic_gather_c6, dynamic_gather_c7, dynamic_gather_c8, dynamic_gather_c9, dynamic_gather_c10,
  // dynamic_gather_c11, dynamic_gather_c12, dynamic_gather_c13, dynamic_gather_c14
  return verifyGather(*this, getOperand().getType(), getStartIndices().getType(),
                      getDimensionNumbers(), known ? *known : unknown);
}

LogicalResult DynamicIotaOp::verify() {
  auto emit = [&] { return emitOpError(); };
  // dynamic_iota_c2, dynamic_iota_c1
  return success(
      succeeded(checkShapeValue(emit, "dynamic_iota_c2", getOutputShape(), getType())) &&
      succeeded(checkInRange(emit, "dynamic_iota_c1", "iota_dimension",
                             static_cast<int64_t>(getIotaDimension()), getType().getRank())));
}

LogicalResult DynamicPadOp::verify() {
  auto emit = [&] { return emitOpError(); };
  RankedTensorType operand = getOperand().getType();
  // dynamic_pad_c1
  if (failed(checkElementType(emit, "dynamic_pad_c1", "the padding value",
                              getPaddingValue().getType(), operand)) ||
      failed(checkElementType(emit, "dynamic_pad_c1", "the result", getType(), operand)) ||
      failed(checkSize(emit, "dynamic_pad_c4", "dimensions of the result", getType().getRank(),
                       operand.getRank()))) {
    return failure();
  }
  // dynamic_pad_c2
  for (Value padding : {getEdgePaddingLow(), getEdgePaddingHigh(), getInteriorPadding()}) {
    if (failed(checkShape(emit, "dynamic_pad_c2", "each padding", shapeOf(padding),
                          {operand.getRank()})) ||
        failed(checkType(emit, "dynamic_pad_c2", "each padding", padding.getType(),
                         getEdgePaddingLow().getType()))) {
      return failure();
    }
  }
  // dynamic_pad_c3
  std::optional<SmallVector<int64_t>> interior = constantIntegers(getInteriorPadding());
  if (interior && failed(checkAtLeast(emit, "dynamic_pad_c3", "interior padding", *interior, 0))) {
    return failure();
  }
  // dynamic_pad_c4
  std::optional<SmallVector<int64_t>> low = constantIntegers(getEdgePaddingLow());
  std::optional<SmallVector<int64_t>> high = constantIntegers(getEdgePaddingHigh());
  if (!low || !high || !interior) {
    return success();
  }
  SmallVector<int64_t> expected;
  for (auto [d, size] : llvm::enumerate(operand.getShape())) {
    std::optional<int64_t> padded = paddedSize(size, (*low)[d], (*high)[d], (*interior)[d]);
    if (!padded || (*padded < 0 && !isDynamic(*padded))) {
      return emitOpError() << "pads dimension " << d << " of size " << size
                           << (padded ? " to a negative size" : " to a size that overflows 64 bits")
                           << " (dynamic_pad_c4)";
    }
    expected.push_back(*padded);
  }
  return checkShape(emit, "dynamic_pad_c4", "the result", getType().getShape(), expected);
}

LogicalResult DynamicReshapeOp::verify() {
  // dynamic_reshape_c2, if the shape is a constant.
  RankedTensorType operand = getOperand().getType();
  std::optional<SmallVector<int64_t>> shape = constantIntegers(getOutputShape());
  if (shape && operand.hasStaticShape() && elementCount(*shape) != operand.getNumElements()) {
    return emitOpError() << "expects a shape of " << operand.getNumElements() << " elements, got "
                         << str(*shape) << " (dynamic_reshape_c2)";
  }
  // dynamic_reshape_c1, dynamic_reshape_c2, dynamic_reshape_c3, dynamic_reshape_c4
  return success(succeeded(verifyReshape(*this, "dynamic_reshape_c1", "dynamic_reshape_c2",
                                         "dynamic_reshape_c3")) &&
                 succeeded(checkShapeValue([&] { return emitOpError(); }, "dynamic_reshape_c4",
                                           getOutputShape(), getType())));
}

LogicalResult RealDynamicSliceOp::verify() {
  auto emit = [&] { return emitOpError(); };
  RankedTensorType operand = getOperand().getType();
  if (failed(checkElementType(emit, "real_dynamic_slice", "the result", getType(), operand)) ||
      failed(checkSize(emit, "real_dynamic_slice", "dimensions of the result", getType().getRank(),
                       operand.getRank()))) {
    return failure();
  }
  for (Value numbers : {getStartIndices(), getLimitIndices(), getStrides()}) {
    if (failed(checkShape(emit, "real_dynamic_slice", "start, limit and strides", shapeOf(numbers),
                          {operand.getRank()})) ||
        failed(checkType(emit, "real_dynamic_slice", "start, limit and strides", numbers.getType(),
                         getStartIndices().getType()))) {
      return failure();
    }
  }
  return success();
}

LogicalResult GetDimensionSizeOp::verify() {
  // get_dimension_size_c1
  return checkInRange([&] { return emitOpError(); }, "get_dimension_size_c1", "dimension",
                      static_cast<int64_t>(getDimension()), getOperand().getType().getRank());
}

LogicalResult SetDimensionSizeOp::verify() {
  auto emit = [&] { return emitOpError(); };
  RankedTensorType operand = getOperand().getType();
  int64_t dimension = getDimension();
  if (failed(checkInRange(emit, "set_dimension_size", "dimension", dimension, operand.getRank())) ||
      failed(checkElementType(emit, "set_dimension_size", "the result", getType(), operand))) {
    return failure();
  }
  SmallVector<int64_t> expected(operand.getShape());
  std::optional<SmallVector<int64_t>> size = constantIntegers(getSize());
  expected[dimension] = ShapedType::kDynamic;
  if (size) {
    int64_t most = operand.isDynamicDim(dimension) ? boundOf(operand, dimension)
                                                   : operand.getDimSize(dimension);
    int64_t number = size->front();
    if (number < 0 || (!isDynamic(most) && number > most)) {
      return emitOpError() << "expects a size in [0, " << most << "], got " << number
                           << " (set_dimension_size)";
    }
    expected[dimension] = number;
  }
  return checkShape(emit, "set_dimension_size", "the result", getType().getShape(), expected);
}

//===-- indexing ------------------------------------------------------------------------------===//

IndexingMap DynamicBroadcastInDimOp::indexingOf(OpOperand &operand, unsigned result) {
  if (operand.getOperandNumber() != 0) {
    return indexingByDefault(operand, result);
  }
  IndexingBuilder made = indexingBuilder(operand, result);
  for (auto [d, to] : llvm::enumerate(getBroadcastDimensions())) {
    if (shapeOf(getOperand())[d] != 1) {
      made.at(d) = made.dim(static_cast<size_t>(to));
    }
  }
  return made.finish();
}

IndexingMap DynamicReshapeOp::indexingOf(OpOperand &operand, unsigned result) {
  return operand.getOperandNumber() == 0 ? reshapeIndexing(operand, result)
                                         : indexingByDefault(operand, result);
}

IndexingMap SetDimensionSizeOp::indexingOf(OpOperand &operand, unsigned result) {
  return elementwiseIndexing(operand, result);
}

} // namespace drumlin::stablehlo
