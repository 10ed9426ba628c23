// Decomposes CHLO operations that are defined by other operations. Functions that have a kernel of
// their own (erf, asin, top_k …) are kept.
#include "drumlin/ir/stablehlo/AbsOp.h"
#include "drumlin/ir/stablehlo/CompareOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/MulOp.h"
#include "drumlin/ir/stablehlo/TanOp.h"
#include "drumlin/transforms/simplify/decompose/Decompose.h"

#include "drumlin/ir/chlo/ChloOps.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace drumlin {

static constexpr llvm::StringLiteral broadcastPrefix = "chlo.broadcast_";

// Broadcasts the operand to the result's shape. The operand's dimensions become the result
// dimensions `dimensions`, or the last ones if none are given.
static Value broadcast(TensorBuilder &b, Operation *op, Value operand,
                       DenseI64ArrayAttr dimensions) {
  TensorShape from = TensorShape::of(operand), to = TensorShape::of(op->getResult(0));
  if (from == to) {
    return operand;
  }
  SmallVector<int64_t> places;
  if (dimensions && dimensions.size() == static_cast<int64_t>(from.size()) &&
      from.size() < to.size()) {
    places.append(dimensions.asArrayRef().begin(), dimensions.asArrayRef().end());
  } else {
    auto offset = static_cast<int64_t>(to.size() - from.size());
    llvm::append_range(places, llvm::seq(offset, static_cast<int64_t>(to.size())));
  }
  for (auto [d, place] : llvm::enumerate(places)) {
    const Size &size = to[static_cast<size_t>(place)];
    if (!from[d].is(1) && !(from[d] == size)) {
      operand = b.repeat(operand, static_cast<int64_t>(d), size);
    }
  }
  return b.broadcast(operand, to, places);
}

// broadcast_op(a, b) = op(broadcast_in_dim(a), broadcast_in_dim(b)). Returns null if op doesn't
// support the type.
static Operation *decomposeBroadcast(OpBuilder &builder, Operation *op) {
  auto dimensions = op->getAttrOfType<DenseI64ArrayAttr>("broadcast_dimensions");
  TensorBuilder b(op);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(broadcast(b, op, operand, dimensions));
  }
  if (auto compare = dyn_cast<chlo::BroadcastCompareOp>(op)) {
    auto direction = stablehlo::symbolizeComparisonDirection(
        chlo::stringifyComparisonDirection(compare.getComparisonDirection()));
    stablehlo::ComparisonTypeAttr kind;
    if (std::optional<chlo::ComparisonType> given = compare.getCompareType()) {
      kind = stablehlo::ComparisonTypeAttr::get(
          op->getContext(),
          *stablehlo::symbolizeComparisonType(chlo::stringifyComparisonType(*given)));
    }
    return stablehlo::CompareOp::create(
        builder, op->getLoc(), compare.getType(), operands[0], operands[1],
        stablehlo::ComparisonDirectionAttr::get(op->getContext(), *direction), kind);
  }
  llvm::StringRef name = op->getName().getStringRef().drop_front(broadcastPrefix.size());
  bool isFunction =
      isa<chlo::BroadcastNextAfterOp, chlo::BroadcastPolygammaOp, chlo::BroadcastZetaOp>(op);
  OperationState state(op->getLoc(), ((isFunction ? "chlo." : "stablehlo.") + name).str());
  state.addOperands(operands);
  state.addTypes(op->getResultTypes());
  Operation *made = builder.create(state);
  // CHLO accepts more types, e.g. shifts of floats, which have no meaning.
  ScopedDiagnosticHandler quiet(op->getContext(), [](mlir::Diagnostic &) { return success(); });
  if (succeeded(verify(made))) {
    return made;
  }
  made->erase();
  return nullptr;
}

static Value constant(OpBuilder &builder, Operation *op, RankedTensorType type, TypedAttr element) {
  return stablehlo::ConstantOp::create(builder, op->getLoc(),
                                       DenseElementsAttr::get(type, element));
}

// is_inf(x) = (|x| = ∞), is_pos_inf(x) = (x = ∞), is_neg_inf(x) = (x = -∞)
static Value decomposeIsInfinite(OpBuilder &builder, Operation *op) {
  Value x = op->getOperand(0);
  auto type = cast<RankedTensorType>(x.getType());
  const llvm::fltSemantics &semantics = cast<FloatType>(type.getElementType()).getFloatSemantics();
  if (!llvm::APFloat::semanticsHasInf(semantics)) {
    return constant(builder, op, cast<RankedTensorType>(op->getResult(0).getType()),
                    builder.getBoolAttr(false));
  }
  bool isNegative = isa<chlo::IsNegInfOp>(op);
  Value infinity = constant(
      builder, op, type,
      builder.getFloatAttr(type.getElementType(), llvm::APFloat::getInf(semantics, isNegative)));
  if (isa<chlo::IsInfOp>(op)) {
    x = stablehlo::AbsOp::create(builder, op->getLoc(), type, x);
  }
  return stablehlo::CompareOp::create(
      builder, op->getLoc(), op->getResult(0).getType(), x, infinity,
      stablehlo::ComparisonDirectionAttr::get(op->getContext(), stablehlo::ComparisonDirection::EQ),
      stablehlo::ComparisonTypeAttr());
}

// Returns the upper 64 bits of the 128-bit product of two 64-bit integers, from the four products
// of their 32-bit halves.
static Value upperHalfOfWords(TensorBuilder &b, Value x, Value y) {
  Value mask = b.like(x, 0xffffffff);
  Value lowX = b.logicalAnd(x, mask), highX = b.shiftRight(x, 32);
  Value lowY = b.logicalAnd(y, mask), highY = b.shiftRight(y, 32);
  Value cross = b.add(b.multiply(highX, lowY), b.shiftRight(b.multiply(lowX, lowY), 32));
  Value middle = b.add(b.multiply(lowX, highY), b.logicalAnd(cross, mask));
  Value upper = b.add(b.multiply(highX, highY), b.shiftRight(cross, 32));
  return b.add(upper, b.shiftRight(middle, 32));
}

Value upperHalfOfProduct(TensorBuilder &b, Value x, Value y) {
  Type element = TensorBuilder::elementOf(x);
  unsigned bits = element.getIntOrFloatBitWidth();
  bool isSigned = !element.isUnsignedInteger();
  if (bits < 64) {
    unsigned width = 2 * bits <= 32 ? 32 : 64;
    Type wide = isSigned ? b.signedType(width) : b.unsignedType(width);
    Value product = b.multiply(b.convert(x, wide), b.convert(y, wide));
    return b.convert(b.shiftRight(product, bits), element);
  }
  if (!isSigned) {
    return upperHalfOfWords(b, x, y);
  }
  // The unsigned value of a negative number's bits is 2^64 more than the number.
  Type word = b.unsignedType(64);
  Value bitsX = b.bitcast(x, word), bitsY = b.bitcast(y, word);
  Value zero = b.like(x, 0), none = b.like(bitsX, 0);
  auto ifNegative = [&](Value number, Value other) {
    return b.select(b.compare(stablehlo::ComparisonDirection::LT, number, zero), other, none);
  };
  Value upper = upperHalfOfWords(b, bitsX, bitsY);
  upper = b.subtract(upper, ifNegative(x, bitsY));
  return b.bitcast(b.subtract(upper, ifNegative(y, bitsX)), element);
}

// Returns null if the operation stays.
static Value decompose(OpBuilder &builder, Operation *op) {
  Location loc = op->getLoc();
  if (op->getName().getStringRef().starts_with(broadcastPrefix)) {
    Operation *made = decomposeBroadcast(builder, op);
    return made ? made->getResult(0) : Value();
  }
  if (isa<chlo::IsInfOp, chlo::IsPosInfOp, chlo::IsNegInfOp>(op)) {
    return decomposeIsInfinite(builder, op);
  }
  if (auto like = dyn_cast<chlo::ConstantLikeOp>(op)) {
    return constant(builder, op, cast<RankedTensorType>(like.getType()), like.getValue());
  }
  if (auto given = dyn_cast<chlo::ConstantOp>(op)) {
    return stablehlo::ConstantOp::create(builder, loc, given.getValue());
  }
  if (auto product = dyn_cast<chlo::MulhiOp>(op)) {
    TensorBuilder b(op);
    return upperHalfOfProduct(b, product.getLhs(), product.getRhs());
  }
  // For complex numbers, operations whose definitions handle infinities are kept.
  if (isa<ComplexType>(getElementTypeOrSelf(op->getResult(0).getType()))) {
    return Value();
  }
  if (auto square = dyn_cast<chlo::SquareOp>(op)) {
    return stablehlo::MulOp::create(builder, loc, square.getType(), square.getOperand(),
                                    square.getOperand());
  }
  if (auto tan = dyn_cast<chlo::TanOp>(op)) {
    return stablehlo::TanOp::create(builder, loc, tan.getType(), tan.getOperand());
  }
  return isa<chlo::ConjOp>(op) ? op->getOperand(0) : Value();
}

Replacements decomposeChlo(Operation *op) {
  if (!isa_and_nonnull<chlo::ChloDialect>(op->getDialect()) || op->getNumResults() != 1) {
    return std::nullopt;
  }
  OpBuilder builder(op);
  Value value = decompose(builder, op);
  return value ? Replacements(SmallVector<Value>{value}) : std::nullopt;
}

} // namespace drumlin
