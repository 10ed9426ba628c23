// Simplifies slices, concatenations, padding and reversals that move nothing, or that equal one
// slice.
#include "drumlin/transforms/simplify/Passes.h"
#include "drumlin/transforms/simplify/Patterns.h"

#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/ConcatenateOp.h"
#include "drumlin/ir/stablehlo/Constraints.h"
#include "drumlin/ir/stablehlo/DynamicSliceOp.h"
#include "drumlin/ir/stablehlo/DynamicUpdateSliceOp.h"
#include "drumlin/ir/stablehlo/PadOp.h"
#include "drumlin/ir/stablehlo/ReverseOp.h"
#include "drumlin/ir/stablehlo/SliceOp.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_SIMPLIFYSLICESPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

// Returns whether the values of an operation's attributes are only nominal: at some calls, other
// values apply.
static bool isSized(Operation *op) {
  return op->hasAttr(sizedAttributes) || llvm::any_of(op->getOperandTypes(), hasSymbolicSizes);
}

// Replaces `op` by a slice with these starts, limits and strides.
static void replaceWithSlice(PatternRewriter &rewriter, Operation *op, Value operand,
                             ArrayRef<int64_t> starts, ArrayRef<int64_t> limits,
                             ArrayRef<int64_t> strides) {
  rewriter.replaceOpWithNewOp<stablehlo::SliceOp>(
      op, op->getResult(0).getType(), operand, rewriter.getDenseI64ArrayAttr(starts),
      rewriter.getDenseI64ArrayAttr(limits), rewriter.getDenseI64ArrayAttr(strides));
}

// slice(x, all of it) = x
// slice(slice(x, a, s), b, t) = slice(x, a + b s, s t)
struct SimplifySlice : OpRewritePattern<stablehlo::SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::SliceOp op, PatternRewriter &rewriter) const override {
    // For a static shape, equal types mean that the slice is all of the operand, in order.
    if (op.getOperand().getType() == op.getType() && op.getType().hasStaticShape()) {
      rewriter.replaceOp(op, op.getOperand());
      return success();
    }
    auto inner = op.getOperand().getDefiningOp<stablehlo::SliceOp>();
    if (!inner || !op.getType().hasStaticShape()) {
      return rewriter.notifyMatchFailure(op, "the operand is no slice");
    }
    if (isSized(op) || inner->hasAttr(sizedAttributes)) {
      return rewriter.notifyMatchFailure(op, "the slice is known only at run time");
    }
    SmallVector<int64_t> starts, limits, strides;
    for (auto [d, size] : llvm::enumerate(op.getType().getShape())) {
      int64_t step = inner.getStrides()[d], stride = 0, last = 0;
      int64_t start = inner.getStartIndices()[d] + op.getStartIndices()[d] * step;
      if (llvm::MulOverflow(step, op.getStrides()[d], stride) ||
          llvm::MulOverflow(std::max<int64_t>(size - 1, 0), stride, last)) {
        return rewriter.notifyMatchFailure(op, "the stride doesn't fit in 64 bits");
      }
      starts.push_back(size == 0 ? 0 : start);
      limits.push_back(size == 0 ? 0 : start + last + 1);
      strides.push_back(stride);
    }
    replaceWithSlice(rewriter, op, inner.getOperand(), starts, limits, strides);
    return success();
  }
};

// slice(concatenate(a, b, …)) = slice(b), if it only reads b
struct SliceOfConcatenation : OpRewritePattern<stablehlo::SliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::SliceOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().getDefiningOp<stablehlo::ConcatenateOp>();
    if (!inner || !op.getType().hasStaticShape() || op.getType().getNumElements() == 0) {
      return rewriter.notifyMatchFailure(op, "the operand is no concatenation");
    }
    if (isSized(op)) {
      return rewriter.notifyMatchFailure(op, "the sliced input is known only at run time");
    }
    uint64_t dimension = inner.getDimension();
    SmallVector<int64_t> starts(op.getStartIndices()), limits(op.getLimitIndices());
    for (Value input : inner.getInputs()) {
      auto type = cast<RankedTensorType>(input.getType());
      int64_t size = type.getDimSize(static_cast<unsigned>(dimension));
      if (ShapedType::isDynamic(size)) {
        return rewriter.notifyMatchFailure(op, "a size is known only at run time");
      }
      if (starts[dimension] < size) {
        if (limits[dimension] > size) {
          return rewriter.notifyMatchFailure(op, "the slice is of several inputs");
        }
        replaceWithSlice(rewriter, op, input, starts, limits, op.getStrides());
        return success();
      }
      starts[dimension] -= size;
      limits[dimension] -= size;
    }
    return failure();
  }
};

// dynamic_slice(x, …) = x, if the sizes are the same
// dynamic_slice(x, constants) = slice(x)
struct SimplifyDynamicSlice : OpRewritePattern<stablehlo::DynamicSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::DynamicSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto operand = cast<RankedTensorType>(op.getOperand().getType());
    if (!operand.hasStaticShape()) {
      return rewriter.notifyMatchFailure(op, "a size is known only at run time");
    }
    if (operand == op.getType()) {
      rewriter.replaceOp(op, op.getOperand());
      return success();
    }
    if (op->hasAttr(sizedAttributes)) {
      return rewriter.notifyMatchFailure(op, "the slice's size is known only at run time");
    }
    SmallVector<int64_t> starts, limits;
    for (auto [d, index] : llvm::enumerate(op.getStartIndices())) {
      auto numbers = stablehlo::constantIntegers(index);
      if (!numbers || numbers->size() != 1) {
        return rewriter.notifyMatchFailure(op, "a start is no constant");
      }
      int64_t size = op.getSliceSizes()[d];
      if (!symbolicSizesOf(operand)[d].constant() && (*numbers)[0] > 0) {
        return rewriter.notifyMatchFailure(op, "the last start is known only at run time");
      }
      int64_t start = std::clamp<int64_t>((*numbers)[0], 0, operand.getDimSize(d) - size);
      starts.push_back(start);
      limits.push_back(start + size);
    }
    replaceWithSlice(rewriter, op, op.getOperand(), starts, limits,
                     SmallVector<int64_t>(starts.size(), 1));
    return success();
  }
};

// dynamic_update_slice(x, u, …) = u if u is as large as x; = x if u has no elements
struct SimplifyUpdate : OpRewritePattern<stablehlo::DynamicUpdateSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::DynamicUpdateSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto update = cast<RankedTensorType>(op.getUpdate().getType());
    if (update == op.getType() && update.hasStaticShape()) {
      rewriter.replaceOp(op, op.getUpdate());
      return success();
    }
    if (op.getOperand().getType() == op.getType() && llvm::is_contained(update.getShape(), 0)) {
      rewriter.replaceOp(op, op.getOperand());
      return success();
    }
    return rewriter.notifyMatchFailure(op, "the update covers only a part");
  }
};

// concatenate(x) = x
// concatenate(a, nothing, b) = concatenate(a, b)
// concatenate(concatenate(a, b), c) = concatenate(a, b, c), if the inner one has no other users
struct SimplifyConcatenation : OpRewritePattern<stablehlo::ConcatenateOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::ConcatenateOp op,
                                PatternRewriter &rewriter) const override {
    unsigned dimension = static_cast<unsigned>(op.getDimension());
    SmallVector<Value> inputs;
    for (Value input : op.getInputs()) {
      auto inner = input.getDefiningOp<stablehlo::ConcatenateOp>();
      if (inner && inner.getDimension() == op.getDimension() && inner->hasOneUse()) {
        llvm::append_range(inputs, inner.getInputs());
      } else if (cast<RankedTensorType>(input.getType()).getDimSize(dimension) != 0) {
        inputs.push_back(input);
      }
    }
    if (inputs.empty()) {
      inputs.push_back(op.getInputs().front());
    }
    if (inputs.size() == 1 && inputs.front().getType() == op.getType()) {
      rewriter.replaceOp(op, inputs.front());
      return success();
    }
    if (llvm::equal(inputs, op.getInputs()) || inputs.size() == 1) {
      return rewriter.notifyMatchFailure(op, "all inputs are needed");
    }
    rewriter.replaceOpWithNewOp<stablehlo::ConcatenateOp>(op, op.getType(), inputs,
                                                          op.getDimension());
    return success();
  }
};

// pad(x, nothing) = x
struct SimplifyPad : OpRewritePattern<stablehlo::PadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::PadOp op, PatternRewriter &rewriter) const override {
    auto isZero = [](int64_t number) { return number == 0; };
    if (op.getOperand().getType() != op.getType() ||
        !llvm::all_of(op.getEdgePaddingLow(), isZero) ||
        !llvm::all_of(op.getEdgePaddingHigh(), isZero) ||
        !llvm::all_of(op.getInteriorPadding(), isZero)) {
      return rewriter.notifyMatchFailure(op, "something is padded");
    }
    rewriter.replaceOp(op, op.getOperand());
    return success();
  }
};

// reverse(x, dimensions of at most one element) = x
// reverse(reverse(x, d), d) = x
struct SimplifyReverse : OpRewritePattern<stablehlo::ReverseOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::ReverseOp op, PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getOperand().getType());
    if (type != op.getType()) {
      return rewriter.notifyMatchFailure(op, "the types differ");
    }
    bool movesNothing = llvm::all_of(op.getDimensions(), [&](int64_t d) {
      int64_t size = type.getDimSize(static_cast<unsigned>(d));
      return size == 0 || size == 1;
    });
    if (movesNothing) {
      rewriter.replaceOp(op, op.getOperand());
      return success();
    }
    auto inner = op.getOperand().getDefiningOp<stablehlo::ReverseOp>();
    if (!inner || inner.getOperand().getType() != op.getType()) {
      return rewriter.notifyMatchFailure(op, "the operand is no reversal");
    }
    SmallVector<int64_t> outerDimensions(op.getDimensions()),
        innerDimensions(inner.getDimensions());
    llvm::sort(outerDimensions);
    llvm::sort(innerDimensions);
    if (outerDimensions != innerDimensions) {
      return rewriter.notifyMatchFailure(op, "other dimensions are reversed");
    }
    rewriter.replaceOp(op, inner.getOperand());
    return success();
  }
};

static void populateSimplifySlicesPatterns(RewritePatternSet &patterns) {
  patterns.add<SimplifySlice, SliceOfConcatenation, SimplifyDynamicSlice, SimplifyUpdate,
               SimplifyConcatenation, SimplifyPad, SimplifyReverse>(patterns.getContext());
}

struct SimplifySlicesPass : impl::SimplifySlicesPassBase<SimplifySlicesPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateSimplifySlicesPatterns(patterns);
    if (failed(applyPatterns(getOperation(), std::move(patterns)))) {
      signalPassFailure();
    }
  }
};

} // namespace drumlin
