// Simplifies elementwise operations that return one of their operands. An identity must hold for
// all numbers: x + 0 turns -0 into 0, so only -0 is neutral for floating-point addition.
#include "drumlin/transforms/simplify/Passes.h"
#include "drumlin/transforms/simplify/Patterns.h"

#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_SIMPLIFYELEMENTWISEPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

//===-- constants -----------------------------------------------------------------------------===//

// Returns the only element of a constant, possibly broadcast; null if there isn't exactly one.
static Attribute onlyElement(Value value) {
  while (auto broadcast = value.getDefiningOp<stablehlo::BroadcastInDimOp>()) {
    value = broadcast.getOperand();
  }
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat() ||
      elements.getElementType() != getElementTypeOrSelf(value.getType())) {
    return {};
  }
  Type type = elements.getElementType();
  return isa<IntegerType, FloatType>(type) ? elements.getSplatValue<Attribute>() : Attribute();
}

static bool isInteger(Value value, int64_t expected) {
  auto element = dyn_cast_or_null<IntegerAttr>(onlyElement(value));
  return element && element.getValue() == APInt(element.getValue().getBitWidth(), expected,
                                                /*isSigned=*/true, /*implicitTrunc=*/true);
}

static bool isFloat(Value value, double expected) {
  auto element = dyn_cast_or_null<FloatAttr>(onlyElement(value));
  APFloat number(expected);
  bool isInexact = false;
  if (!element) {
    return false;
  }
  number.convert(element.getValue().getSemantics(), APFloat::rmNearestTiesToEven, &isInexact);
  // In a type without zero, zero becomes the smallest number, and APFloat considers this conversion
  // exact.
  bool isLost = number.isZero() != APFloat(expected).isZero();
  return !isInexact && !isLost && element.getValue().bitwiseIsEqual(number);
}

static bool isOne(Value value) { return isInteger(value, 1) || isFloat(value, 1.0); }

//===-- operations with a constant ------------------------------------------------------------===//

// Returns whether op(x, value) = x for every x.
static bool isRightIdentity(Operation *op, Value value) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](stablehlo::AddOp) { return isInteger(value, 0) || isFloat(value, -0.0); })
      .Case([&](stablehlo::SubtractOp) { return isInteger(value, 0) || isFloat(value, 0.0); })
      .Case<stablehlo::MulOp, stablehlo::DivOp, stablehlo::PowOp>(
          [&](auto) { return isOne(value); })
      .Case([&](stablehlo::AndOp) { return isInteger(value, -1); })
      .Case<stablehlo::OrOp, stablehlo::XorOp, stablehlo::ShiftLeftOp,
            stablehlo::ShiftRightArithmeticOp, stablehlo::ShiftRightLogicalOp>(
          [&](auto) { return isInteger(value, 0); })
      .Default([](Operation *) { return false; });
}

// x + -0, x - 0, x * 1, x / 1, x ^ 1, x & -1, x | 0, x xor 0, x << 0, x >> 0 = x; for integers also
// x + 0
// x & x, x | x, max(x, x), min(x, x) = x
struct SimplifyBinary : RewritePattern {
  explicit SimplifyBinary(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    bool isBinary = op->hasTrait<OpTrait::Elementwise>() && op->getNumOperands() == 2 &&
                    op->getNumResults() == 1;
    if (!isBinary || op->getOperand(0).getType() != op->getResult(0).getType()) {
      return failure();
    }
    Value lhs = op->getOperand(0), rhs = op->getOperand(1);
    if (lhs == rhs &&
        isa<stablehlo::AndOp, stablehlo::OrOp, stablehlo::MaxOp, stablehlo::MinOp>(op)) {
      rewriter.replaceOp(op, lhs);
      return success();
    }
    if (isRightIdentity(op, rhs)) {
      rewriter.replaceOp(op, lhs);
      return success();
    }
    if (op->hasTrait<OpTrait::IsCommutative>() && isRightIdentity(op, lhs) &&
        rhs.getType() == op->getResult(0).getType()) {
      rewriter.replaceOp(op, rhs);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "neither operand is the operation's identity");
  }
};

//===-- operations that undo each other -------------------------------------------------------===//

// negate(negate(x)) = x, not(not(x)) = x; types without a sign have no negation
template <typename Op> struct SimplifyTwice : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().template getDefiningOp<Op>();
    if (!inner || inner.getOperand().getType() != op.getType()) {
      return rewriter.notifyMatchFailure(op, "the operand is another operation");
    }
    if (isa<Float8E8M0FNUType>(getElementTypeOrSelf(op.getType()))) {
      return rewriter.notifyMatchFailure(op, "the type has no sign");
    }
    rewriter.replaceOp(op, inner.getOperand());
    return success();
  }
};

// abs(abs(x)) = abs(x)
struct SimplifyAbs : OpRewritePattern<stablehlo::AbsOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::AbsOp op, PatternRewriter &rewriter) const override {
    if (!op.getOperand().getDefiningOp<stablehlo::AbsOp>() ||
        op.getOperand().getType() != op.getType()) {
      return rewriter.notifyMatchFailure(op, "the operand is no absolute value");
    }
    rewriter.replaceOp(op, op.getOperand());
    return success();
  }
};

// Returns whether each value of type `narrow` is also a value of type `wide` and converts back
// unchanged.
static bool holds(Type wide, Type narrow) {
  auto wideFloat = dyn_cast<FloatType>(wide), narrowFloat = dyn_cast<FloatType>(narrow);
  if (wideFloat && narrowFloat) {
    // Other types lack infinities, zeros or NaN.
    return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(wide) &&
           APFloat::isRepresentableBy(narrowFloat.getFloatSemantics(),
                                      wideFloat.getFloatSemantics());
  }
  auto wideInteger = dyn_cast<IntegerType>(wide), narrowInteger = dyn_cast<IntegerType>(narrow);
  return wideInteger && narrowInteger && narrowInteger.getWidth() > 1 &&
         wideInteger.getSignedness() == narrowInteger.getSignedness() &&
         wideInteger.getWidth() >= narrowInteger.getWidth();
}

// convert(convert(x) : wider) = x
struct SimplifyConvertBack : OpRewritePattern<stablehlo::ConvertOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::ConvertOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<stablehlo::ConvertOp>();
    if (!inner || inner.getOperand().getType() != op.getType()) {
      return rewriter.notifyMatchFailure(op, "nothing is converted back");
    }
    if (!holds(getElementTypeOrSelf(inner.getType()), getElementTypeOrSelf(op.getType()))) {
      return rewriter.notifyMatchFailure(op, "the intermediate type rounds");
    }
    rewriter.replaceOp(op, inner.getOperand());
    return success();
  }
};

// real(complex(a, b)) = a, imag(complex(a, b)) = b
template <typename Op> struct SimplifyPart : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().template getDefiningOp<stablehlo::ComplexOp>();
    if (!inner) {
      return rewriter.notifyMatchFailure(op, "the operand is no `complex` operation");
    }
    Value part = std::is_same_v<Op, stablehlo::RealOp> ? inner.getLhs() : inner.getRhs();
    if (part.getType() != op.getType()) {
      return rewriter.notifyMatchFailure(op, "the types differ");
    }
    rewriter.replaceOp(op, part);
    return success();
  }
};

// complex(real(z), imag(z)) = z, unless a kernel computes z: between kernels, only the real and
// imaginary parts are stored.
struct SimplifyComplex : OpRewritePattern<stablehlo::ComplexOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::ComplexOp op, PatternRewriter &rewriter) const override {
    auto real = op.getLhs().getDefiningOp<stablehlo::RealOp>();
    auto imag = op.getRhs().getDefiningOp<stablehlo::ImagOp>();
    if (!real || !imag || real.getOperand() != imag.getOperand() ||
        real.getOperand().getType() != op.getType()) {
      return rewriter.notifyMatchFailure(op, "the operands aren't the parts of one number");
    }
    Operation *maker = real.getOperand().getDefiningOp();
    if (maker && classify(maker) == OperationClass::Hero) {
      return rewriter.notifyMatchFailure(op, "between kernels, only the parts are stored");
    }
    rewriter.replaceOp(op, real.getOperand());
    return success();
  }
};

// select(p, x, x) = x, select(true, x, y) = x, select(false, x, y) = y
// select(not(p), x, y) = select(p, y, x)
struct SimplifySelect : OpRewritePattern<stablehlo::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::SelectOp op, PatternRewriter &rewriter) const override {
    bool isTrue = isInteger(op.getPred(), 1), isFalse = isInteger(op.getPred(), 0);
    if (isTrue || isFalse || op.getOnTrue() == op.getOnFalse()) {
      Value chosen = isFalse ? op.getOnFalse() : op.getOnTrue();
      if (chosen.getType() != op.getType()) {
        return rewriter.notifyMatchFailure(op, "the types differ");
      }
      rewriter.replaceOp(op, chosen);
      return success();
    }
    auto inverted = op.getPred().getDefiningOp<stablehlo::NotOp>();
    if (!inverted) {
      return rewriter.notifyMatchFailure(op, "the predicate is neither a constant nor inverted");
    }
    rewriter.replaceOpWithNewOp<stablehlo::SelectOp>(op, op.getType(), inverted.getOperand(),
                                                     op.getOnFalse(), op.getOnTrue());
    return success();
  }
};

static void populateSimplifyElementwisePatterns(RewritePatternSet &patterns) {
  patterns.add<SimplifyBinary, SimplifyTwice<stablehlo::NegOp>, SimplifyTwice<stablehlo::NotOp>,
               SimplifyAbs, SimplifyConvertBack, SimplifyPart<stablehlo::RealOp>,
               SimplifyPart<stablehlo::ImagOp>, SimplifyComplex, SimplifySelect>(
      patterns.getContext());
}

struct SimplifyElementwisePass : impl::SimplifyElementwisePassBase<SimplifyElementwisePass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateSimplifyElementwisePatterns(patterns);
    if (failed(applyPatterns(getOperation(), std::move(patterns)))) {
      signalPassFailure();
    }
  }
};

} // namespace drumlin
