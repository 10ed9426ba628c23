// Elementwise operations that are defined on the bits of floats: reduce_precision and next_after.
#include "drumlin/codegen/cpu/element/ElementEmitter.h"

#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/stablehlo/ReducePrecisionOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/FloatFormats.h"

using namespace llvm;

namespace drumlin::codegen {

namespace {
// Integer arithmetic on the bit patterns of one element type.
struct BitPatterns {
  IRBuilder<> &b;
  const ElementTypeInfo &type;
  Type *integer; // integer type as wide as the element in memory; a vector if operands are vectors

  Value *number(uint64_t value) { return ConstantInt::get(integer, value); }
  uint64_t sign() const { return uint64_t(1) << (type.exponentBits + type.mantissaBits); }
  uint64_t infinity() const {
    return ((uint64_t(1) << type.exponentBits) - 1) << type.mantissaBits;
  }
  Value *magnitudeOf(Value *pattern) { return b.CreateAnd(pattern, number(sign() - 1)); }
  Value *signOf(Value *pattern) { return b.CreateAnd(pattern, number(sign())); }
};
} // namespace

// Rounds the mantissa to nearest even; a carry may increase the exponent. Then numbers whose
// exponent is out of the narrow format's range become infinity or zero (specification,
// "reduce_precision").
static Value *reducePattern(BitPatterns patterns, Value *pattern, unsigned exponentBits,
                            unsigned mantissaBits) {
  IRBuilder<> &b = patterns.b;
  Value *magnitude = patterns.magnitudeOf(pattern);
  Value *isNan = b.CreateICmpUGT(magnitude, patterns.number(patterns.infinity()));
  // In a format without mantissa bits, NaN would have the bit pattern of infinity.
  Value *nan = mantissaBits > 0 ? pattern : patterns.number(patterns.infinity());
  Value *reduced = magnitude;
  if (mantissaBits < patterns.type.mantissaBits) {
    unsigned dropped = patterns.type.mantissaBits - mantissaBits;
    uint64_t lowest = uint64_t(1) << dropped;
    Value *odd = b.CreateAnd(b.CreateLShr(reduced, dropped), patterns.number(1));
    reduced = b.CreateAdd(b.CreateAdd(reduced, patterns.number(lowest / 2 - 1)), odd);
    reduced = b.CreateAnd(reduced, patterns.number(~(lowest - 1) & (patterns.sign() - 1)));
  }
  if (exponentBits < patterns.type.exponentBits) {
    uint64_t bias = (uint64_t(1) << (patterns.type.exponentBits - 1)) - 1;
    uint64_t narrowBias = (uint64_t(1) << (exponentBits - 1)) - 1;
    Value *exponent = b.CreateLShr(reduced, patterns.type.mantissaBits);
    Value *above = b.CreateICmpUGT(exponent, patterns.number(bias + narrowBias));
    Value *below = b.CreateICmpULE(exponent, patterns.number(bias - narrowBias));
    reduced = b.CreateSelect(below, patterns.number(0), reduced);
    reduced = b.CreateSelect(above, patterns.number(patterns.infinity()), reduced);
  }
  return b.CreateSelect(isNan, nan, b.CreateOr(reduced, patterns.signOf(pattern)));
}

// Returns the next number after x in the direction of y, as nextUp and nextDown of IEEE 754 do.
static Value *nextPattern(BitPatterns patterns, Value *x, Value *y) {
  IRBuilder<> &b = patterns.b;
  Value *xMagnitude = patterns.magnitudeOf(x), *yMagnitude = patterns.magnitudeOf(y);
  auto isNan = [&](Value *magnitude) {
    return b.CreateICmpUGT(magnitude, patterns.number(patterns.infinity()));
  };
  Value *xIsZero = b.CreateICmpEQ(xMagnitude, patterns.number(0));
  Value *bothZero = b.CreateAnd(xIsZero, b.CreateICmpEQ(yMagnitude, patterns.number(0)));
  // The next number is farther from zero than x if y has the sign of x and is farther from zero
  // than x.
  Value *sameSign = b.CreateICmpEQ(patterns.signOf(x), patterns.signOf(y));
  Value *outward = b.CreateAnd(sameSign, b.CreateICmpUGT(yMagnitude, xMagnitude));
  Value *next = b.CreateSelect(outward, b.CreateAdd(x, patterns.number(1)),
                               b.CreateSub(x, patterns.number(1)));
  next = b.CreateSelect(xIsZero, b.CreateOr(patterns.signOf(y), patterns.number(1)), next);
  next = b.CreateSelect(b.CreateOr(b.CreateICmpEQ(x, y), bothZero), y, next);
  uint64_t quiet = patterns.infinity() | (uint64_t(1) << (patterns.type.mantissaBits - 1));
  return b.CreateSelect(b.CreateOr(isNan(xMagnitude), isNan(yMagnitude)), patterns.number(quiet),
                        next);
}

// Returns the next number after x in the direction of y, for formats without infinities. Zeros and
// NaNs of these formats have various bit patterns. So the numeric values of x and y are compared to
// determine the next bit pattern, and special cases are corrected afterwards.
Value *ElementEmitter::nextWithoutInfinities(Value *x, Value *y, ElementType type) {
  IRBuilder<> &b = builder;
  Value *zero = Constant::getNullValue(x->getType());
  auto number = [&](double value) { return ConstantFP::get(x->getType(), value); };
  Value *pattern = toMemory(x, type);
  Value *one = ConstantInt::get(pattern->getType(), 1);
  Value *outward = b.CreateICmpEQ(b.CreateFCmpOGT(x, zero), b.CreateFCmpOGT(y, x));
  Value *next = fromMemory(
      b.CreateSelect(outward, b.CreateAdd(pattern, one), b.CreateSub(pattern, one)), type);
  // In some formats the bit pattern of minus zero is a NaN.
  next = b.CreateSelect(b.CreateFCmpUNO(next, next), zero, next);
  uint64_t sign = uint64_t(1) << (info(type).bits - 1);
  Value *least = b.CreateSelect(b.CreateFCmpOLT(y, zero), number(decode(type, 1 | sign)),
                                number(decode(type, 1)));
  next = b.CreateSelect(b.CreateFCmpOEQ(x, zero), least, next);
  next = b.CreateSelect(b.CreateFCmpOEQ(x, y), y, next);
  return b.CreateSelect(b.CreateFCmpUNO(x, y), ConstantFP::getNaN(x->getType()), next);
}

std::optional<Lanes> ElementEmitter::emitOnBitPatterns(mlir::Operation *op,
                                                       function_ref<Lanes(mlir::Value)> operandOf) {
  if (!isa<stablehlo::ReducePrecisionOp, chlo::NextAfterOp>(op)) {
    return std::nullopt;
  }
  ElementType type = elementTypeOf(mlir::getElementTypeOrSelf(op->getResult(0).getType()));
  if (!isFloat(type)) {
    return std::nullopt;
  }
  // For formats without infinities, the bit patterns of f32 are used: f32 represents all numbers of
  // such formats.
  bool isIeee = info(type).specials == FloatSpecials::Ieee;
  ElementType coded = isIeee ? type : ElementType::F32;
  SmallVector<Lanes> operands;
  for (mlir::Value operand : op->getOperands()) {
    operands.push_back(operandOf(operand));
  }
  unify(operands);
  if (!isIeee && isa<chlo::NextAfterOp>(op)) {
    return Lanes{nextWithoutInfinities(operands[0].value, operands[1].value, type)};
  }
  Type *integer = builder.getIntNTy(info(coded).bits);
  if (operands[0].isVector()) {
    integer = FixedVectorType::get(
        integer, cast<FixedVectorType>(operands[0].value->getType())->getNumElements());
  }
  BitPatterns patterns = {builder, info(coded), integer};
  SmallVector<Value *> values;
  for (const Lanes &operand : operands) {
    values.push_back(builder.CreateBitCast(toMemory(operand.value, coded), integer));
  }
  auto reduce = dyn_cast<stablehlo::ReducePrecisionOp>(op);
  Value *made =
      reduce ? reducePattern(patterns, values[0], static_cast<unsigned>(reduce.getExponentBits()),
                             static_cast<unsigned>(reduce.getMantissaBits()))
             : nextPattern(patterns, values[0], values[1]);
  bool isInteger = coded != ElementType::F32 && coded != ElementType::F64;
  Value *inMemory = isInteger ? made : builder.CreateBitCast(made, operands[0].value->getType());
  Value *value = fromMemory(inMemory, coded);
  return Lanes{isIeee ? value : roundTo(value, type)};
}

} // namespace drumlin::codegen
