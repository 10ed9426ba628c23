// Simplifies conditionals whose branch is known at compile time.
#include "drumlin/transforms/simplify/Passes.h"
#include "drumlin/transforms/simplify/Patterns.h"

#include "drumlin/ir/stablehlo/CaseOp.h"
#include "drumlin/ir/stablehlo/Constraints.h"
#include "drumlin/ir/stablehlo/IfOp.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_SIMPLIFYBRANCHESPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

// Replaces `op` by the operations of a region without arguments.
static LogicalResult replaceWithRegion(PatternRewriter &rewriter, Operation *op, Region &region) {
  Operation *terminator = region.front().getTerminator();
  if (!llvm::equal(terminator->getOperandTypes(), op->getResultTypes())) {
    return rewriter.notifyMatchFailure(op, "the types differ");
  }
  SmallVector<Value> results(terminator->getOperands());
  rewriter.eraseOp(terminator);
  rewriter.inlineBlockBefore(&region.front(), op);
  rewriter.replaceOp(op, results);
  return success();
}

// if(true) { f } { g } = f, if(false) { f } { g } = g
struct SimplifyIf : OpRewritePattern<stablehlo::IfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::IfOp op, PatternRewriter &rewriter) const override {
    DenseElementsAttr predicate;
    if (!matchPattern(op.getPred(), m_Constant(&predicate))) {
      return rewriter.notifyMatchFailure(op, "the predicate is no constant");
    }
    bool isTrue = predicate.getSplatValue<bool>();
    return replaceWithRegion(rewriter, op, isTrue ? op.getTrueBranch() : op.getFalseBranch());
  }
};

// case(i) { f0 } { f1 } … = fi, or the last branch if the index is out of range
struct SimplifyCase : OpRewritePattern<stablehlo::CaseOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::CaseOp op, PatternRewriter &rewriter) const override {
    auto index = stablehlo::constantIntegers(op.getIndex());
    int64_t count = op.getBranches().size();
    if (!index && count > 1) {
      return rewriter.notifyMatchFailure(op, "the index is no constant");
    }
    int64_t chosen = index ? (*index)[0] : 0;
    bool isInside = chosen >= 0 && chosen < count;
    return replaceWithRegion(rewriter, op, op.getBranches()[isInside ? chosen : count - 1]);
  }
};

struct SimplifyBranchesPass : impl::SimplifyBranchesPassBase<SimplifyBranchesPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<SimplifyIf, SimplifyCase>(&getContext());
    if (failed(applyPatterns(getOperation(), std::move(patterns)))) {
      signalPassFailure();
    }
  }
};

} // namespace drumlin
