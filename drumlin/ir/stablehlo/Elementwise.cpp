// Verifiers and builders of the elementwise operations.
#include "drumlin/ir/stablehlo/Assembly.h"
#include "drumlin/ir/stablehlo/Constraints.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"

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

// add_c1 and its like: type(operands) = type(result). abs_c1, compare_c2, complex_c2, convert_c1,
// imag_c1, is_finite_c1, real_c1: shape(operands) = shape(result).
LogicalResult verifySameShape(Operation *op) {
  bool sameType = op->hasTrait<OpTrait::SameOperandsAndResultType>();
  Type first = op->getOperand(0).getType();
  auto agrees = [&](Type type) {
    return sameType ? type == first
                    : cast<RankedTensorType>(type).getShape() ==
                          cast<RankedTensorType>(first).getShape();
  };
  if (llvm::all_of(op->getOperandTypes(), agrees) && llvm::all_of(op->getResultTypes(), agrees)) {
    return success();
  }
  StringRef constraint = isa<CompareOp, ComplexOp>(op) ? "_c2" : "_c1";
  return op->emitOpError() << "expects operands and result of one " << (sameType ? "type" : "shape")
                           << ", got (" << op->getOperandTypes() << ") -> " << op->getResultTypes()
                           << " (" << op->getName().stripDialect() << constraint << ")";
}

// The element type of one part of complex numbers, or the element type itself.
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
  return checkElementType([&] { return emitOpError(); }, "abs_c2", "the result", getType(),
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
  return ComparisonType::FLOAT;
}

ComparisonType CompareOp::compareTypeOrDefault() {
  std::optional<ComparisonType> written = getCompareType();
  return written && *written != ComparisonType::NOTYPE ? *written
                                                       : impliedComparison(getLhs().getType());
}

LogicalResult CompareOp::verify() {
  // compare_c1
  if (failed(checkElementType([&] { return emitOpError(); }, "compare_c1", "rhs",
                              getRhs().getType(), getLhs().getType()))) {
    return failure();
  }
  // compare_c3. Programs in the wild compare integers and booleans under any name of theirs, so
  // only the kind counts.
  ComparisonType written = compareTypeOrDefault();
  ComparisonType implied = impliedComparison(getLhs().getType());
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(getLhs().getType()));
  if (written != implied && !(written == ComparisonType::TOTALORDER && isFloat)) {
    return emitOpError() << "expects compare_type " << stringifyComparisonType(implied) << " for "
                         << getElementTypeOrSelf(getLhs().getType()) << ", got "
                         << stringifyComparisonType(written) << " (compare_c3)";
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
  if (failed(checkElementType(emit, "clamp_c3", "min", getMin().getType(), operand)) ||
      failed(checkElementType(emit, "clamp_c3", "max", getMax().getType(), operand))) {
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
  return checkType(emit, "clamp_c4", "the result", getType(), operand);
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
  if (failed(checkType(emit, "select_c2", "on_false", getOnFalse().getType(),
                       getOnTrue().getType()))) {
    return failure();
  }
  return checkType(emit, "select_c2", "the result", getType(), getOnTrue().getType());
}

} // namespace drumlin::stablehlo
