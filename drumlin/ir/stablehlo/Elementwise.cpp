// Verifiers and builders of the elementwise operations.
#include "drumlin/ir/stablehlo/Assembly.h"
#include "drumlin/ir/stablehlo/Constraints.h"
#include "drumlin/ir/stablehlo/ElementwiseOps.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Elementwise.cpp.inc"

namespace drumlin::stablehlo {

void StablehloDialect::addElementwiseOperations() {
  addOperations<
#define GET_OP_LIST
#include "drumlin/ir/stablehlo/Elementwise.cpp.inc"
      >();
}

static LogicalResult reportDifference(Operation *op, StringRef what, StringRef constraint) {
  return op->emitOpError() << "expects operands and result of one " << what << ", got ("
                           << op->getOperandTypes() << ") -> " << op->getResultTypes() << " ("
                           << op->getName().stripDialect() << constraint << ")";
}

// Whether any two types of the operands and results agree. It would not be enough to compare all
// types with the first one, because a dynamic dimension agrees with any size.
static bool allPairs(Operation *op, llvm::function_ref<bool(Type, Type)> agree) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (size_t i = 0; i < types.size(); ++i) {
    for (size_t j = i + 1; j < types.size(); ++j) {
      if (!agree(types[i], types[j])) {
        return false;
      }
    }
  }
  return true;
}

// abs_c1, compare_c2, complex_c2, convert_c1, imag_c1, is_finite_c1, real_c1: shape(operands) =
// shape(result).
LogicalResult verifySameShape(Operation *op) {
  bool same = allPairs(op, [](Type a, Type b) {
    return areCompatible(cast<RankedTensorType>(a).getShape(),
                         cast<RankedTensorType>(b).getShape());
  });
  return same ? success()
              : reportDifference(op, "shape", isa<CompareOp, ComplexOp>(op) ? "_c2" : "_c1");
}

// Checks the constraint c1 of each operation: baseline_type(operands) = baseline_type(result).
// `add` has additional constraints on quantized types.
LogicalResult verifySameType(Operation *op) {
  bool mayMix = isa<AddOp>(op) && llvm::any_of(op->getOperandTypes(), isQuantized);
  bool same = allPairs(op, [&](Type a, Type b) {
    return mayMix ? areCompatible(cast<RankedTensorType>(a).getShape(),
                                  cast<RankedTensorType>(b).getShape())
                  : haveCompatibleBaselines(a, b);
  });
  return same ? success() : reportDifference(op, "type", "_c1");
}

//===-- add -----------------------------------------------------------------------------------===//

static std::optional<int32_t> quantizedAxis(Type type) {
  auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(getElementTypeOrSelf(type));
  return perAxis ? std::optional(perAxis.getQuantizedDimension()) : std::nullopt;
}

LogicalResult AddOp::verify() {
  Type lhs = getLhs().getType(), rhs = getRhs().getType(), result = getType();
  if (!isQuantized(lhs) && !isQuantized(rhs) && !isQuantized(result)) {
    return success();
  }
  auto report = [&](StringRef what, StringRef label) {
    return emitOpError() << "expects " << what << ", got (" << lhs << ", " << rhs << ") -> "
                         << result << " (" << label << ")";
  };
  // add_c2
  if (!isQuantized(lhs) || !isQuantized(rhs) || !isQuantized(result)) {
    return report("all or none of operands and result quantized", "add_c2");
  }
  auto left = cast<quant::QuantizedType>(getElementTypeOrSelf(lhs));
  auto right = cast<quant::QuantizedType>(getElementTypeOrSelf(rhs));
  auto sum = cast<quant::QuantizedType>(getElementTypeOrSelf(result));
  // add_c3
  auto storesLike = [&](quant::QuantizedType other) {
    return left.getStorageType() == other.getStorageType() && left.isSigned() == other.isSigned();
  };
  if (!storesLike(right) || !storesLike(sum)) {
    return report("one storage type", "add_c3");
  }
  // add_c4
  if (left.getExpressedType() != right.getExpressedType() ||
      left.getExpressedType() != sum.getExpressedType()) {
    return report("one expressed type", "add_c4");
  }
  // add_c5
  bool eitherPerAxis = isPerAxisQuantized(lhs) || isPerAxisQuantized(rhs);
  if (eitherPerAxis != isPerAxisQuantized(result)) {
    return report("a result that is quantized per axis if, and only if, an operand is", "add_c5");
  }
  // add_c6, add_c7
  if (isPerAxisQuantized(lhs) && quantizedAxis(lhs) != quantizedAxis(result)) {
    return report("lhs and the result with one quantized dimension", "add_c6");
  }
  if (isPerAxisQuantized(rhs) && quantizedAxis(rhs) != quantizedAxis(result)) {
    return report("rhs and the result with one quantized dimension", "add_c7");
  }
  return success();
}

// Returns the type of the real and imaginary parts of complex elements, or the element type itself.
static Type partElementType(Type type) {
  Type element = getElementTypeOrSelf(type);
  auto complex = dyn_cast<ComplexType>(element);
  return complex ? complex.getElementType() : element;
}

static Type withElementType(Value value, Type element) {
  return cast<RankedTensorType>(value.getType()).clone(element);
}

static Type predType(Value value) {
  return withElementType(value, IntegerType::get(value.getContext(), 1));
}

//===-- complex numbers and their parts -------------------------------------------------------===//

void AbsOp::build(OpBuilder &builder, OperationState &state, Value operand) {
  build(builder, state, withElementType(operand, partElementType(operand.getType())), operand);
}
void ImagOp::build(OpBuilder &builder, OperationState &state, Value operand) {
  build(builder, state, withElementType(operand, partElementType(operand.getType())), operand);
}
void RealOp::build(OpBuilder &builder, OperationState &state, Value operand) {
  build(builder, state, withElementType(operand, partElementType(operand.getType())), operand);
}

LogicalResult AbsOp::verify() {
  // abs_c2
  return checkBaseline([&] { return emitOpError(); }, "abs_c2", "the result", getType(),
                       partElementType(getOperand().getType()));
}
LogicalResult ImagOp::verify() {
  // imag_c2
  return checkElementType([&] { return emitOpError(); }, "imag_c2", "the result", getType(),
                          partElementType(getOperand().getType()));
}
LogicalResult RealOp::verify() {
  // real_c2
  return checkElementType([&] { return emitOpError(); }, "real_c2", "the result", getType(),
                          partElementType(getOperand().getType()));
}

void ComplexOp::build(OpBuilder &builder, OperationState &state, Value lhs, Value rhs) {
  build(builder, state, withElementType(lhs, ComplexType::get(getElementTypeOrSelf(lhs.getType()))),
        lhs, rhs);
}

LogicalResult ComplexOp::verify() {
  auto emit = [&] { return emitOpError(); };
  // complex_c1
  if (failed(checkType(emit, "complex_c1", "rhs", getRhs().getType(), getLhs().getType()))) {
    return failure();
  }
  // complex_c3
  return checkElementType(emit, "complex_c3", "the result", getType(),
                          ComplexType::get(getElementTypeOrSelf(getLhs().getType())));
}

//===-- conversions ---------------------------------------------------------------------------===//

void ConvertOp::build(OpBuilder &builder, OperationState &state, Value operand,
                      Type resultElementType) {
  build(builder, state, withElementType(operand, resultElementType), operand);
}

void IsFiniteOp::build(OpBuilder &builder, OperationState &state, Value x) {
  build(builder, state, predType(x), x);
}

LogicalResult ReducePrecisionOp::verify() {
  auto emit = [&] { return emitOpError(); };
  // reduce_precision_c2
  if (failed(checkAtLeast(emit, "reduce_precision_c2", "exponent_bits",
                          static_cast<int32_t>(getExponentBits()), 1))) {
    return failure();
  }
  // reduce_precision_c3
  return checkAtLeast(emit, "reduce_precision_c3", "mantissa_bits",
                      static_cast<int32_t>(getMantissaBits()), 0);
}

//===-- compare, clamp, select ----------------------------------------------------------------===//

void CompareOp::build(OpBuilder &builder, OperationState &state, Value lhs, Value rhs,
                      ComparisonDirection direction, ComparisonType type) {
  MLIRContext *context = builder.getContext();
  build(builder, state, predType(lhs), lhs, rhs, ComparisonDirectionAttr::get(context, direction),
        type == ComparisonType::NOTYPE ? ComparisonTypeAttr()
                                       : ComparisonTypeAttr::get(context, type));
}

static ComparisonType impliedComparison(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (auto integer = dyn_cast<IntegerType>(element)) {
    return integer.getWidth() == 1 || integer.isUnsigned() ? ComparisonType::UNSIGNED
                                                           : ComparisonType::SIGNED;
  }
  return ComparisonType::FLOAT; // quantized elements are compared by their values
}

// Returns the comparison that compare_c3 prescribes for the element type; only floating-point
// numbers have a choice of comparison types. For other elements, a comparison type written in the
// program is ignored.
ComparisonType CompareOp::compareTypeOrDefault() {
  bool isFloat = isa<FloatType>(expressedTypeOf(getLhs().getType()));
  return isFloat && getCompareType() == ComparisonType::TOTALORDER
             ? ComparisonType::TOTALORDER
             : impliedComparison(getLhs().getType());
}

LogicalResult CompareOp::verify() {
  // compare_c1
  if (failed(checkBaseline([&] { return emitOpError(); }, "compare_c1", "rhs", getRhs().getType(),
                           getLhs().getType()))) {
    return failure();
  }
  return success();
}

void ClampOp::build(OpBuilder &builder, OperationState &state, Value min, Value operand,
                    Value max) {
  build(builder, state, operand.getType(), min, operand, max);
}

LogicalResult ClampOp::verify() {
  auto emit = [&] { return emitOpError(); };
  RankedTensorType operand = getOperand().getType();
  // clamp_c3
  if (failed(checkBaseline(emit, "clamp_c3", "min", getMin().getType(), operand)) ||
      failed(checkBaseline(emit, "clamp_c3", "max", getMax().getType(), operand))) {
    return failure();
  }
  // clamp_c1
  if (getMin().getType().getRank() != 0 &&
      failed(checkShape(emit, "clamp_c1", "min", shapeOf(getMin()), operand.getShape()))) {
    return failure();
  }
  // clamp_c2
  if (getMax().getType().getRank() != 0 &&
      failed(checkShape(emit, "clamp_c2", "max", shapeOf(getMax()), operand.getShape()))) {
    return failure();
  }
  // clamp_c4
  return checkBaselineType(emit, "clamp_c4", "the result", getType(), operand);
}

void SelectOp::build(OpBuilder &builder, OperationState &state, Value pred, Value onTrue,
                     Value onFalse) {
  build(builder, state, onTrue.getType(), pred, onTrue, onFalse);
}

LogicalResult SelectOp::verify() {
  auto emit = [&] { return emitOpError(); };
  // select_c1
  if (getPred().getType().getRank() != 0 &&
      failed(checkShape(emit, "select_c1", "pred", shapeOf(getPred()), shapeOf(getOnTrue())))) {
    return failure();
  }
  // select_c2
  return success(succeeded(checkBaselineType(emit, "select_c2", "on_false", getOnFalse().getType(),
                                             getOnTrue().getType())) &&
                 succeeded(checkBaselineType(emit, "select_c2", "the result", getType(),
                                             getOnTrue().getType())));
}

//===-- indexing ------------------------------------------------------------------------------===//

IndexingMap ClampOp::indexingOf(OpOperand &operand, unsigned result) {
  return elementwiseIndexing(operand, result);
}

IndexingMap SelectOp::indexingOf(OpOperand &operand, unsigned result) {
  return elementwiseIndexing(operand, result);
}

} // namespace drumlin::stablehlo
