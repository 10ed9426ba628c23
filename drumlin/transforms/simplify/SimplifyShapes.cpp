// Simplifies operations that only move elements.
#include "drumlin/transforms/simplify/Passes.h"
#include "drumlin/transforms/simplify/Patterns.h"

#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/TransposeOp.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_SIMPLIFYSHAPESPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

// Returns whether data movement leaves all elements where they are.
static bool movesNothing(Operation *move) {
  if (move->getOperand(0).getType() != move->getResult(0).getType()) {
    return false;
  }
  std::optional<IndexingMap> map = dataMovementIndexing(move);
  return map && (map->isIdentity() || llvm::is_contained(map->sizes(), 0));
}

// reshape(x) = x, if the shape is the same
// reshape(reshape(x)) = reshape(x)
struct SimplifyReshape : OpRewritePattern<stablehlo::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::ReshapeOp op, PatternRewriter &rewriter) const override {
    if (op.getOperand().getType() == op.getType()) {
      rewriter.replaceOp(op, op.getOperand());
      return success();
    }
    auto inner = op.getOperand().getDefiningOp<stablehlo::ReshapeOp>();
    if (!inner) {
      return rewriter.notifyMatchFailure(op, "the operand is no reshape");
    }
    rewriter.replaceOpWithNewOp<stablehlo::ReshapeOp>(op, op.getType(), inner.getOperand());
    return success();
  }
};

// transpose(x, p) = x, if p moves no element
// transpose(transpose(x, p), q) = transpose(x, p ∘ q)
struct SimplifyTranspose : OpRewritePattern<stablehlo::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::TransposeOp op,
                                PatternRewriter &rewriter) const override {
    if (movesNothing(op)) {
      rewriter.replaceOp(op, op.getOperand());
      return success();
    }
    auto inner = op.getOperand().getDefiningOp<stablehlo::TransposeOp>();
    if (!inner) {
      return rewriter.notifyMatchFailure(op, "the operand is no transpose");
    }
    SmallVector<int64_t> composed;
    for (int64_t dimension : op.getPermutation()) {
      composed.push_back(inner.getPermutation()[static_cast<size_t>(dimension)]);
    }
    rewriter.replaceOpWithNewOp<stablehlo::TransposeOp>(op, op.getType(), inner.getOperand(),
                                                        rewriter.getDenseI64ArrayAttr(composed));
    return success();
  }
};

// broadcast_in_dim(x, p) = x, if the shape is the same and p moves no element
// broadcast_in_dim(broadcast_in_dim(x, p), q) = broadcast_in_dim(x, q ∘ p)
struct SimplifyBroadcast : OpRewritePattern<stablehlo::BroadcastInDimOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::BroadcastInDimOp op,
                                PatternRewriter &rewriter) const override {
    if (movesNothing(op)) {
      rewriter.replaceOp(op, op.getOperand());
      return success();
    }
    auto inner = op.getOperand().getDefiningOp<stablehlo::BroadcastInDimOp>();
    if (!inner) {
      return rewriter.notifyMatchFailure(op, "the operand is no broadcast");
    }
    SmallVector<int64_t> composed;
    for (int64_t dimension : inner.getBroadcastDimensions()) {
      composed.push_back(op.getBroadcastDimensions()[static_cast<size_t>(dimension)]);
    }
    rewriter.replaceOpWithNewOp<stablehlo::BroadcastInDimOp>(
        op, op.getType(), inner.getOperand(), rewriter.getDenseI64ArrayAttr(composed));
    return success();
  }
};

// convert(x) = x, if the type is the same
struct SimplifyConvert : OpRewritePattern<stablehlo::ConvertOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::ConvertOp op, PatternRewriter &rewriter) const override {
    if (op.getOperand().getType() != op.getType()) {
      return rewriter.notifyMatchFailure(op, "the types differ");
    }
    rewriter.replaceOp(op, op.getOperand());
    return success();
  }
};

static void populateSimplifyShapesPatterns(RewritePatternSet &patterns) {
  patterns.add<SimplifyReshape, SimplifyTranspose, SimplifyBroadcast, SimplifyConvert>(
      patterns.getContext());
}

struct SimplifyShapesPass : impl::SimplifyShapesPassBase<SimplifyShapesPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateSimplifyShapesPatterns(patterns);
    if (failed(applyPatterns(getOperation(), std::move(patterns)))) {
      signalPassFailure();
    }
  }
};

} // namespace drumlin
