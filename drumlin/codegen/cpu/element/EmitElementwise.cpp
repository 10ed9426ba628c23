// Elementwise operations on lanes, each as the specification defines it for one element.
#include "drumlin/codegen/cpu/element/ElementEmitter.h"
#include "drumlin/codegen/cpu/math/MathLibrary.h"

#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/plan/FusedMultiplyAdd.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace drumlin::codegen {

static ElementType typeOf(mlir::Value value) {
  return elementTypeOf(mlir::getElementTypeOrSelf(value.getType()));
}

static Type *like(Type *element, Value *value) {
  auto *vector = dyn_cast<FixedVectorType>(value->getType());
  return vector ? FixedVectorType::get(element, vector->getNumElements()) : element;
}

static Constant *intLike(Value *value, uint64_t bits) {
  return ConstantInt::get(value->getType(),
                          APInt(value->getType()->getScalarSizeInBits(), bits, false, true));
}

// Divides integers. Where the specification leaves the result undefined, the results are those of
// the interpreter. Division by zero gives -1 (all ones), with the dividend as the remainder. The
// smallest number divided by -1 gives the dividend, with 0 as the remainder.
static Value *divideIntegers(IRBuilder<> &b, Value *x, Value *y, bool isSignedType,
                             bool wantRemainder) {
  Value *zero = Constant::getNullValue(y->getType());
  Value *one = intLike(y, 1);
  Value *byZero = b.CreateICmpEQ(y, zero);
  Value *overflow = nullptr;
  Value *safe = b.CreateSelect(byZero, one, y);
  if (isSignedType) {
    unsigned width = x->getType()->getScalarSizeInBits();
    Value *lowest = ConstantInt::get(x->getType(), APInt::getSignedMinValue(width));
    overflow = b.CreateAnd(b.CreateICmpEQ(x, lowest),
                           b.CreateICmpEQ(y, Constant::getAllOnesValue(y->getType())));
    safe = b.CreateSelect(overflow, one, safe);
  }
  if (wantRemainder) {
    Value *rest = isSignedType ? b.CreateSRem(x, safe) : b.CreateURem(x, safe);
    return b.CreateSelect(byZero, x, rest);
  }
  Value *quotient = isSignedType ? b.CreateSDiv(x, safe) : b.CreateUDiv(x, safe);
  return b.CreateSelect(byZero, Constant::getAllOnesValue(x->getType()), quotient);
}

// Returns an integer with only the bits of its own width: clears the sign extension of negative
// 2-bit and 4-bit integers.
static Value *ownBits(IRBuilder<> &b, Value *x, ElementType type) {
  unsigned width = info(type).bits;
  bool isExtended = isSigned(type) && width < x->getType()->getScalarSizeInBits();
  return isExtended ? b.CreateAnd(x, intLike(x, (uint64_t(1) << width) - 1)) : x;
}

Value *wrapToWidth(IRBuilder<> &b, Value *value, ElementType type) {
  bool isNarrow = isInteger(type) && !isBoolean(type) && info(type).bits < 8;
  if (!isNarrow) {
    return value;
  }
  if (isUnsigned(type)) {
    return b.CreateAnd(value, intLike(value, (uint64_t(1) << info(type).bits) - 1));
  }
  Value *above = intLike(value, value->getType()->getScalarSizeInBits() - info(type).bits);
  return b.CreateAShr(b.CreateShl(value, above), above);
}

// Shifts integers. A shift by the width or more gives zero; an arithmetic shift right by the width
// or more gives the sign in all bits.
static Value *shift(IRBuilder<> &b, Instruction::BinaryOps opcode, Value *x, Value *by,
                    ElementType type) {
  unsigned width = info(type).bits;
  if (opcode == Instruction::LShr) {
    x = ownBits(b, x, type);
  } else if (opcode == Instruction::AShr && width < x->getType()->getScalarSizeInBits()) {
    // The type's top bit is the sign, even if the type is unsigned.
    Value *above = intLike(x, x->getType()->getScalarSizeInBits() - width);
    x = b.CreateAShr(b.CreateShl(x, above), above);
  }
  Value *tooFar = b.CreateICmpUGE(by, intLike(by, width));
  if (opcode == Instruction::AShr) {
    return b.CreateAShr(x, b.CreateSelect(tooFar, intLike(by, width - 1), by));
  }
  Value *safe = b.CreateSelect(tooFar, intLike(by, 0), by);
  return b.CreateSelect(tooFar, intLike(x, 0), b.CreateBinOp(opcode, x, safe));
}

// Computes integer powers by repeated squaring; a negative exponent gives 0, except for bases 1 and
// -1.
static Value *powerOfIntegers(ElementEmitter &e, Value *x, Value *y, bool isSignedType) {
  IRBuilder<> &b = e.ir();
  unsigned width = x->getType()->getScalarSizeInBits();
  Value *result = intLike(x, 1);
  Value *base = x;
  Value *rest = y;
  for (unsigned bit = 0; bit < width; ++bit) {
    Value *odd = b.CreateICmpNE(b.CreateAnd(rest, intLike(rest, 1)), intLike(rest, 0));
    result = b.CreateSelect(odd, b.CreateMul(result, base), result);
    base = b.CreateMul(base, base);
    rest = b.CreateLShr(rest, intLike(rest, 1));
  }
  if (!isSignedType) {
    return result;
  }
  Value *negative = b.CreateICmpSLT(y, intLike(y, 0));
  Value *isOne = b.CreateICmpEQ(x, intLike(x, 1));
  Value *isMinusOne = b.CreateICmpEQ(x, Constant::getAllOnesValue(x->getType()));
  Value *oddExponent = b.CreateICmpNE(b.CreateAnd(y, intLike(y, 1)), intLike(y, 0));
  Value *ofMinusOne = b.CreateSelect(oddExponent, x, intLike(x, 1));
  Value *fraction = b.CreateSelect(isOne, x, b.CreateSelect(isMinusOne, ofMinusOne, intLike(x, 0)));
  return b.CreateSelect(negative, fraction, result);
}

static Value *signOf(IRBuilder<> &b, Value *x, ElementType type) {
  if (isFloat(type)) {
    Value *zero = Constant::getNullValue(x->getType());
    Value *one =
        b.CreateBinaryIntrinsic(Intrinsic::copysign, ConstantFP::get(x->getType(), 1.0), x);
    // Zeros keep their sign; NaN is kept.
    Value *keep = b.CreateFCmpUEQ(x, zero);
    return b.CreateSelect(keep, x, one);
  }
  Value *zero = intLike(x, 0);
  Value *positive = b.CreateZExt(b.CreateICmpSGT(x, zero), x->getType());
  Value *negative = b.CreateSExt(b.CreateICmpSLT(x, zero), x->getType());
  return isSigned(type) ? b.CreateOr(positive, negative)
                        : b.CreateZExt(b.CreateICmpNE(x, zero), x->getType());
}

// Returns a signed integer key for a number. The order of the keys is the totalOrder of IEEE 754 on
// the numbers.
static Value *totalOrderKey(IRBuilder<> &b, Value *x, ElementType type) {
  if (info(type).specials == FloatSpecials::Unsigned0) {
    // These types have a single NaN, without a sign, which is ordered after all numbers.
    x = b.CreateSelect(b.CreateFCmpUNO(x, x), ConstantFP::getNaN(x->getType()), x);
  }
  unsigned width = x->getType()->getScalarSizeInBits();
  Value *bits = b.CreateBitCast(x, like(b.getIntNTy(width), x));
  Value *sign = b.CreateAShr(bits, intLike(bits, width - 1));
  return b.CreateXor(bits, b.CreateLShr(sign, intLike(bits, 1)));
}

static Value *compare(IRBuilder<> &b, stablehlo::CompareOp op, Value *x, Value *y,
                      ElementType type) {
  using Direction = stablehlo::ComparisonDirection;
  Direction direction = op.getComparisonDirection();
  bool total = op.getCompareType() && *op.getCompareType() == stablehlo::ComparisonType::TOTALORDER;
  if (isFloat(type) && !total) {
    switch (direction) {
    case Direction::EQ:
      return b.CreateFCmpOEQ(x, y);
    case Direction::NE:
      return b.CreateFCmpUNE(x, y);
    case Direction::LT:
      return b.CreateFCmpOLT(x, y);
    case Direction::LE:
      return b.CreateFCmpOLE(x, y);
    case Direction::GT:
      return b.CreateFCmpOGT(x, y);
    case Direction::GE:
      return b.CreateFCmpOGE(x, y);
    }
  }
  bool isSignedOrder = isSigned(type);
  if (isFloat(type)) {
    x = totalOrderKey(b, x, type);
    y = totalOrderKey(b, y, type);
    isSignedOrder = true;
  }
  switch (direction) {
  case Direction::EQ:
    return b.CreateICmpEQ(x, y);
  case Direction::NE:
    return b.CreateICmpNE(x, y);
  case Direction::LT:
    return isSignedOrder ? b.CreateICmpSLT(x, y) : b.CreateICmpULT(x, y);
  case Direction::LE:
    return isSignedOrder ? b.CreateICmpSLE(x, y) : b.CreateICmpULE(x, y);
  case Direction::GT:
    return isSignedOrder ? b.CreateICmpSGT(x, y) : b.CreateICmpUGT(x, y);
  case Direction::GE:
    return isSignedOrder ? b.CreateICmpSGE(x, y) : b.CreateICmpUGE(x, y);
  }
  llvm_unreachable("every direction is handled above");
}

static Value *largerOf(IRBuilder<> &b, Value *x, Value *y, ElementType type, bool wantLarger) {
  if (isFloat(type)) {
    // NaN wins over every number, and +0 is larger than -0.
    return b.CreateBinaryIntrinsic(wantLarger ? Intrinsic::maximum : Intrinsic::minimum, x, y);
  }
  Intrinsic::ID id = isSigned(type) ? (wantLarger ? Intrinsic::smax : Intrinsic::smin)
                                    : (wantLarger ? Intrinsic::umax : Intrinsic::umin);
  return b.CreateBinaryIntrinsic(id, x, y);
}

Lanes ElementEmitter::convert(Lanes value, ElementType from, ElementType to) {
  IRBuilder<> &b = builder;
  Value *x = value.value;
  if (from == to) {
    return value;
  }
  Type *toType = like(computeType(to), x);
  if (isBoolean(to)) {
    return {isFloat(from) ? b.CreateFCmpUNE(x, Constant::getNullValue(x->getType()))
                          : b.CreateICmpNE(x, Constant::getNullValue(x->getType()))};
  }
  if (isFloat(to)) {
    if (isFloat(from)) {
      if (from == ElementType::F64) {
        if (to == ElementType::F32) {
          return {b.CreateFPTrunc(x, toType)};
        }
        // The conversion to f32 rounds to odd, so that rounding the f32 number again gives the same
        // result as a single rounding.
        Value *odd = callByRegisters("drumlin_f32_from_f64_odd", b.getFloatTy(), lanes / 2, {x});
        return {roundTo(odd, to)};
      }
      if (to == ElementType::F64) {
        return {b.CreateFPExt(x, toType)};
      }
      return {roundTo(x, to)};
    }
    bool viaDouble = to != ElementType::F64 && to != ElementType::F32 && info(from).bits >= 32;
    Type *through = viaDouble ? like(b.getDoubleTy(), x) : toType;
    Value *number = isSigned(from) ? b.CreateSIToFP(x, through) : b.CreateUIToFP(x, through);
    return viaDouble ? convert({number}, ElementType::F64, to) : Lanes{roundTo(number, to)};
  }
  if (isFloat(from)) {
    // Numbers out of range saturate; NaN becomes zero.
    Intrinsic::ID id = isSigned(to) ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat;
    Type *own = like(b.getIntNTy(info(to).bits), x);
    Value *made = b.CreateIntrinsic(id, {own, x->getType()}, {x});
    return {isSigned(to) ? b.CreateSExt(made, toType) : b.CreateZExt(made, toType)};
  }
  Value *made = isSigned(from) ? b.CreateSExtOrTrunc(x, toType) : b.CreateZExtOrTrunc(x, toType);
  return {wrapToWidth(b, made, to)};
}

// Returns the base name of the math functions that compute an operation, such as `exp`, without the
// suffix of the type. Returns an empty name if there are none, and for square roots, which are
// instructions.
static StringRef mathNameOf(mlir::Operation *op) {
  const MathFunction *found = findMathFunction(op->getName().stripDialect(), MathElement::F32);
  if (!found || isa<stablehlo::SqrtOp>(op)) {
    return {};
  }
  StringRef name(found->name);
  name.consume_back("_f32");
  return name;
}

namespace {
// An elementwise operation that instructions or the math library compute per lane. Each emit
// function loads the operands that it needs.
class Elementwise {
public:
  Elementwise(ElementEmitter &e, mlir::Operation *op, function_ref<Lanes(mlir::Value)> operandOf)
      : e(e), b(e.ir()), op(op), operandOf(operandOf), type(typeOf(op->getResult(0))),
        operandType(typeOf(op->getOperand(0))) {}

  // These functions return nullopt for operations of another kind.
  std::optional<Lanes> emitArithmetic();
  std::optional<Lanes> emitOnBits();
  std::optional<Lanes> emitOfFloats();
  std::optional<Lanes> emitChoice();
  // Returns nullopt if the element widths differ.
  std::optional<Lanes> emitBitcast();
  std::optional<Lanes> emitFused(const plan::FusedMultiplyAdd &fused);
  std::optional<Lanes> emitMath(StringRef name);

private:
  void load() {
    for (mlir::Value operand : op->getOperands()) {
      operands.push_back(operandOf(operand));
    }
    e.unify(operands);
  }
  Value *x() { return operands[0].value; }
  Value *y() { return operands[1].value; }
  // Rounds a result that was computed in f32 to the result's narrower type.
  Lanes rounded(Value *value) { return {isFloat(type) ? e.roundTo(value, type) : value}; }
  Lanes unary(Intrinsic::ID id) {
    load();
    return rounded(b.CreateUnaryIntrinsic(id, x()));
  }
  Lanes negated();

  ElementEmitter &e;
  IRBuilder<> &b;
  mlir::Operation *op;
  function_ref<Lanes(mlir::Value)> operandOf;
  ElementType type, operandType;
  SmallVector<Lanes> operands;
};
} // namespace

std::optional<Lanes> Elementwise::emitFused(const plan::FusedMultiplyAdd &fused) {
  for (mlir::Value factor : fused.product->getOperands()) {
    operands.push_back(operandOf(factor));
  }
  operands.push_back(operandOf(fused.addend));
  e.unify(operands);
  Value *factor = fused.isProductNegated ? b.CreateFNeg(x()) : x();
  Value *addend = operands[2].value;
  addend = fused.isAddendNegated ? b.CreateFNeg(addend) : addend;
  return rounded(b.CreateIntrinsic(Intrinsic::fma, {addend->getType()}, {factor, y(), addend}));
}

std::optional<Lanes> Elementwise::emitMath(StringRef name) {
  load();
  SmallVector<Value *> values;
  for (const Lanes &operand : operands) {
    values.push_back(operand.value);
  }
  Value *made = e.callMath(name, type, values);
  bool isPositive =
      isa<stablehlo::PowOp, stablehlo::Atan2Op, chlo::ErfcOp, chlo::BesselI1eOp, chlo::ZetaOp>(op);
  return Lanes{isPositive ? e.roundProductTo(made, type) : e.roundTo(made, type)};
}

Lanes Elementwise::negated() {
  if (!isFloat(type)) {
    return {b.CreateNeg(x())};
  }
  // If the type has no negative zero or no sign, the type may lack the negated number, so the
  // result is rounded to the type.
  FloatSpecials specials = info(type).specials;
  bool hasSign = specials != FloatSpecials::Unsigned0 && specials != FloatSpecials::ScaleOnly;
  return hasSign ? Lanes{b.CreateFNeg(x())} : rounded(b.CreateFNeg(x()));
}

std::optional<Lanes> Elementwise::emitArithmetic() {
  return TypeSwitch<mlir::Operation *, std::optional<Lanes>>(op)
      .Case<stablehlo::AddOp>([&](auto) {
        load();
        return isFloat(type)
                   ? rounded(b.CreateFAdd(x(), y()))
                   : Lanes{isBoolean(type) ? b.CreateOr(x(), y()) : b.CreateAdd(x(), y())};
      })
      .Case<stablehlo::SubtractOp>([&](auto) {
        load();
        return isFloat(type) ? rounded(b.CreateFSub(x(), y())) : Lanes{b.CreateSub(x(), y())};
      })
      .Case<stablehlo::MulOp>([&](auto) {
        load();
        return isFloat(type)
                   ? Lanes{e.roundProductTo(b.CreateFMul(x(), y()), type)}
                   : Lanes{isBoolean(type) ? b.CreateAnd(x(), y()) : b.CreateMul(x(), y())};
      })
      .Case<stablehlo::DivOp>([&](auto) {
        load();
        return isFloat(type) ? Lanes{e.roundProductTo(b.CreateFDiv(x(), y()), type)}
                             : Lanes{divideIntegers(b, x(), y(), isSigned(type), false)};
      })
      .Case<stablehlo::RemOp>([&](auto) {
        load();
        return Lanes{divideIntegers(b, x(), y(), isSigned(type), true)};
      })
      .Case<stablehlo::PowOp>([&](auto) {
        load();
        return Lanes{powerOfIntegers(e, x(), y(), isSigned(type))};
      })
      .Case<stablehlo::NegOp>([&](auto) {
        load();
        return negated();
      })
      .Case<stablehlo::AbsOp>([&](auto) {
        load();
        if (isFloat(type)) {
          return Lanes{b.CreateUnaryIntrinsic(Intrinsic::fabs, x())};
        }
        return Lanes{isSigned(type)
                         ? b.CreateIntrinsic(Intrinsic::abs, {x()->getType()}, {x(), b.getFalse()})
                         : x()};
      })
      .Case<stablehlo::SignOp>([&](auto) {
        load();
        return Lanes{signOf(b, x(), type)};
      })
      .Default([](auto) { return std::nullopt; });
}

std::optional<Lanes> Elementwise::emitOnBits() {
  return TypeSwitch<mlir::Operation *, std::optional<Lanes>>(op)
      .Case<stablehlo::AndOp>([&](auto) {
        load();
        return Lanes{b.CreateAnd(x(), y())};
      })
      .Case<stablehlo::OrOp>([&](auto) {
        load();
        return Lanes{b.CreateOr(x(), y())};
      })
      .Case<stablehlo::XorOp>([&](auto) {
        load();
        return Lanes{b.CreateXor(x(), y())};
      })
      .Case<stablehlo::NotOp>([&](auto) {
        load();
        return Lanes{b.CreateNot(x())};
      })
      .Case<stablehlo::ShiftLeftOp>([&](auto) {
        load();
        return Lanes{shift(b, Instruction::Shl, x(), y(), type)};
      })
      .Case<stablehlo::ShiftRightLogicalOp>([&](auto) {
        load();
        return Lanes{shift(b, Instruction::LShr, x(), y(), type)};
      })
      .Case<stablehlo::ShiftRightArithmeticOp>([&](auto) {
        load();
        return Lanes{shift(b, Instruction::AShr, x(), y(), type)};
      })
      .Case<stablehlo::PopulationCountOp>([&](auto) {
        load();
        return Lanes{b.CreateUnaryIntrinsic(Intrinsic::ctpop, ownBits(b, x(), type))};
      })
      .Case<stablehlo::ClzOp>([&](auto) {
        load();
        Value *bits = ownBits(b, x(), type);
        Value *zeros = b.CreateIntrinsic(Intrinsic::ctlz, {x()->getType()}, {bits, b.getFalse()});
        unsigned above = x()->getType()->getScalarSizeInBits() - info(type).bits;
        return Lanes{b.CreateSub(zeros, intLike(zeros, above))};
      })
      .Default([](auto) { return std::nullopt; });
}

std::optional<Lanes> Elementwise::emitOfFloats() {
  return TypeSwitch<mlir::Operation *, std::optional<Lanes>>(op)
      .Case<stablehlo::SqrtOp>([&](auto) { return unary(Intrinsic::sqrt); })
      .Case<stablehlo::FloorOp>([&](auto) { return unary(Intrinsic::floor); })
      .Case<stablehlo::CeilOp>([&](auto) { return unary(Intrinsic::ceil); })
      .Case<stablehlo::RoundNearestEvenOp>([&](auto) { return unary(Intrinsic::roundeven); })
      .Case<stablehlo::RoundOp>([&](auto) { return unary(Intrinsic::round); })
      .Case<stablehlo::IsFiniteOp>([&](auto) {
        load();
        Value *magnitude = b.CreateUnaryIntrinsic(Intrinsic::fabs, x());
        return Lanes{b.CreateFCmpOLT(magnitude, ConstantFP::getInfinity(x()->getType()))};
      })
      .Default([](auto) { return std::nullopt; });
}

std::optional<Lanes> Elementwise::emitChoice() {
  return TypeSwitch<mlir::Operation *, std::optional<Lanes>>(op)
      .Case<stablehlo::MaxOp>([&](auto) {
        load();
        return Lanes{largerOf(b, x(), y(), type, true)};
      })
      .Case<stablehlo::MinOp>([&](auto) {
        load();
        return Lanes{largerOf(b, x(), y(), type, false)};
      })
      .Case<stablehlo::CompareOp>([&](stablehlo::CompareOp compareOp) {
        load();
        return Lanes{compare(b, compareOp, x(), y(), operandType)};
      })
      .Case<stablehlo::SelectOp>([&](auto) {
        load();
        return Lanes{b.CreateSelect(x(), y(), operands[2].value)};
      })
      .Case<stablehlo::ClampOp>([&](auto) {
        load();
        Value *atLeast = largerOf(b, x(), y(), type, true);
        return Lanes{largerOf(b, atLeast, operands[2].value, type, false)};
      })
      .Case<stablehlo::ConvertOp>([&](auto) {
        load();
        return e.convert(operands[0], operandType, type);
      })
      .Case<stablehlo::OptimizationBarrierOp>([&](auto) {
        load();
        return operands[0];
      })
      .Default([](auto) { return std::nullopt; });
}

std::optional<Lanes> Elementwise::emitBitcast() {
  if (info(type).bits != info(operandType).bits) {
    return std::nullopt;
  }
  load();
  Value *bits = e.toMemory(x(), operandType);
  // For integers narrower than 8 bits, the bits above the width must be cleared before the bits are
  // read as the result's type.
  if (isInteger(operandType)) {
    bits = ownBits(b, bits, operandType);
  }
  Value *cast = b.CreateBitCast(bits, like(e.memoryType(type), bits));
  return Lanes{e.fromMemory(wrapToWidth(b, cast, type), type)};
}

std::optional<Lanes> ElementEmitter::emitElementwise(mlir::Operation *op,
                                                     function_ref<Lanes(mlir::Value)> operandOf) {
  std::optional<Lanes> made = emitUnwrapped(op, operandOf);
  if (made) {
    made->value = wrapToWidth(builder, made->value, typeOf(op->getResult(0)));
  }
  return made;
}

std::optional<Lanes> ElementEmitter::emitUnwrapped(mlir::Operation *op,
                                                   function_ref<Lanes(mlir::Value)> operandOf) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 || op->getNumOperands() == 0) {
    return std::nullopt;
  }
  ElementType type = typeOf(op->getResult(0));
  if (isComplex(type) || isComplex(typeOf(op->getOperand(0)))) {
    return std::nullopt;
  }
  Elementwise made(*this, op, operandOf);
  if (std::optional<plan::FusedMultiplyAdd> fused = plan::fusedMultiplyAdd(op)) {
    return made.emitFused(*fused);
  }
  if (StringRef math = mathNameOf(op); !math.empty() && isFloat(type)) {
    return made.emitMath(math);
  }
  if (isa<stablehlo::BitcastConvertOp>(op)) {
    return made.emitBitcast();
  }
  for (auto emit : {&Elementwise::emitArithmetic, &Elementwise::emitOnBits,
                    &Elementwise::emitOfFloats, &Elementwise::emitChoice}) {
    if (std::optional<Lanes> lanes = (made.*emit)()) {
      return lanes;
    }
  }
  return emitOnBitPatterns(op, operandOf);
}

} // namespace drumlin::codegen
