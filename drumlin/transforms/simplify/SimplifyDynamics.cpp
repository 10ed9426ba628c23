// Operations whose sizes are values, where these are constants: they become those that say their
// sizes.
#include "drumlin/transforms/simplify/Passes.h"
#include "drumlin/transforms/simplify/Patterns.h"

#include "drumlin/ir/stablehlo/Constraints.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_SIMPLIFYDYNAMICSPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

static bool isStatic(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape();
}

// The constant integers of each value; nothing where one is no constant.
static std::optional<SmallVector<SmallVector<int64_t>>> constants(ValueRange values) {
  SmallVector<SmallVector<int64_t>> found;
  for (Value value : values) {
    auto numbers = stablehlo::constantIntegers(value);
    if (!numbers) {
      return std::nullopt;
    }
    found.push_back(*numbers);
  }
  return found;
}

// dynamic_reshape(x, sizes) = reshape(x), where the result's sizes are known
struct SimplifyDynamicReshape : OpRewritePattern<stablehlo::DynamicReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::DynamicReshapeOp op,
                                PatternRewriter &rewriter) const override {
    if (!isStatic(op.getResult()) || !isStatic(op.getOperand())) {
      return rewriter.notifyMatchFailure(op, "a size is known only at run time");
    }
    rewriter.replaceOpWithNewOp<stablehlo::ReshapeOp>(op, op.getType(), op.getOperand());
    return success();
  }
};

// dynamic_broadcast_in_dim(x, sizes) = broadcast_in_dim(x), where the result's sizes are known
struct SimplifyDynamicBroadcast : OpRewritePattern<stablehlo::DynamicBroadcastInDimOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::DynamicBroadcastInDimOp op,
                                PatternRewriter &rewriter) const override {
    if (!isStatic(op.getResult()) || !isStatic(op.getOperand())) {
      return rewriter.notifyMatchFailure(op, "a size is known only at run time");
    }
    rewriter.replaceOpWithNewOp<stablehlo::BroadcastInDimOp>(
        op, op.getType(), op.getOperand(),
        rewriter.getDenseI64ArrayAttr(op.getBroadcastDimensions()));
    return success();
  }
};

// dynamic_iota(sizes) = iota, where the result's sizes are known
struct SimplifyDynamicIota : OpRewritePattern<stablehlo::DynamicIotaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::DynamicIotaOp op,
                                PatternRewriter &rewriter) const override {
    if (!isStatic(op.getResult())) {
      return rewriter.notifyMatchFailure(op, "a size is known only at run time");
    }
    rewriter.replaceOpWithNewOp<stablehlo::IotaOp>(op, op.getType(), op.getIotaDimension());
    return success();
  }
};

// dynamic_pad(x, p, constants) = pad(x, p)
struct SimplifyDynamicPad : OpRewritePattern<stablehlo::DynamicPadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::DynamicPadOp op,
                                PatternRewriter &rewriter) const override {
    auto numbers =
        constants({op.getEdgePaddingLow(), op.getEdgePaddingHigh(), op.getInteriorPadding()});
    if (!isStatic(op.getResult()) || !isStatic(op.getOperand()) || !numbers) {
      return rewriter.notifyMatchFailure(op, "a size or padding is known only at run time");
    }
    rewriter.replaceOpWithNewOp<stablehlo::PadOp>(
        op, op.getType(), op.getOperand(), op.getPaddingValue(),
        rewriter.getDenseI64ArrayAttr((*numbers)[0]), rewriter.getDenseI64ArrayAttr((*numbers)[1]),
        rewriter.getDenseI64ArrayAttr((*numbers)[2]));
    return success();
  }
};

// real_dynamic_slice(x, constants) = slice(x)
struct SimplifyRealDynamicSlice : OpRewritePattern<stablehlo::RealDynamicSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::RealDynamicSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto numbers = constants({op.getStartIndices(), op.getLimitIndices(), op.getStrides()});
    if (!isStatic(op.getResult()) || !isStatic(op.getOperand()) || !numbers) {
      return rewriter.notifyMatchFailure(op, "a size or start is known only at run time");
    }
    rewriter.replaceOpWithNewOp<stablehlo::SliceOp>(
        op, op.getType(), op.getOperand(), rewriter.getDenseI64ArrayAttr((*numbers)[0]),
        rewriter.getDenseI64ArrayAttr((*numbers)[1]), rewriter.getDenseI64ArrayAttr((*numbers)[2]));
    return success();
  }
};

// dynamic_gather(x, i, constants) = gather(x, i)
struct SimplifyDynamicGather : OpRewritePattern<stablehlo::DynamicGatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::DynamicGatherOp op,
                                PatternRewriter &rewriter) const override {
    auto sizes = stablehlo::constantIntegers(op.getSliceSizes());
    if (!isStatic(op.getResult()) || !isStatic(op.getOperand()) ||
        !isStatic(op.getStartIndices()) || !sizes) {
      return rewriter.notifyMatchFailure(op, "a size is known only at run time");
    }
    rewriter.replaceOpWithNewOp<stablehlo::GatherOp>(
        op, op.getType(), op.getOperand(), op.getStartIndices(), op.getDimensionNumbers(),
        rewriter.getDenseI64ArrayAttr(*sizes), rewriter.getBoolAttr(op.getIndicesAreSorted()));
    return success();
  }
};

// get_dimension_size(x) = a constant, where the size is known
struct SimplifyDimensionSize : OpRewritePattern<stablehlo::GetDimensionSizeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::GetDimensionSizeOp op,
                                PatternRewriter &rewriter) const override {
    auto operand = cast<RankedTensorType>(op.getOperand().getType());
    int64_t size = operand.getDimSize(static_cast<unsigned>(op.getDimension()));
    if (ShapedType::isDynamic(size) || size > std::numeric_limits<int32_t>::max()) {
      return rewriter.notifyMatchFailure(op, "the size is known only at run time");
    }
    auto type = cast<RankedTensorType>(op.getType());
    rewriter.replaceOpWithNewOp<stablehlo::ConstantOp>(
        op, DenseElementsAttr::get(type, rewriter.getI32IntegerAttr(static_cast<int32_t>(size))));
    return success();
  }
};

struct SimplifyDynamicsPass : impl::SimplifyDynamicsPassBase<SimplifyDynamicsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<SimplifyDynamicReshape, SimplifyDynamicBroadcast, SimplifyDynamicIota,
                 SimplifyDynamicPad, SimplifyRealDynamicSlice, SimplifyDynamicGather,
                 SimplifyDimensionSize>(&getContext());
    if (failed(applyPatterns(getOperation(), std::move(patterns)))) {
      signalPassFailure();
    }
  }
};

} // namespace drumlin
