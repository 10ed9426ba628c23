// Replaces dynamic operations whose sizes are constants by static operations.
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/transforms/PassFailure.h"
#include "drumlin/transforms/simplify/Passes.h"
#include "drumlin/transforms/simplify/Patterns.h"

#include "drumlin/interpreter/ConstantConversion.h"
#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/interpreter/kernels/EvaluateShape.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/Constraints.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/DynamicBroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/DynamicConvOp.h"
#include "drumlin/ir/stablehlo/DynamicGatherOp.h"
#include "drumlin/ir/stablehlo/DynamicIotaOp.h"
#include "drumlin/ir/stablehlo/DynamicPadOp.h"
#include "drumlin/ir/stablehlo/DynamicReshapeOp.h"
#include "drumlin/ir/stablehlo/GatherOp.h"
#include "drumlin/ir/stablehlo/GetDimensionSizeOp.h"
#include "drumlin/ir/stablehlo/IotaOp.h"
#include "drumlin/ir/stablehlo/PadOp.h"
#include "drumlin/ir/stablehlo/RealDynamicSliceOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/SetDimensionSizeOp.h"
#include "drumlin/ir/stablehlo/SliceOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_SIMPLIFYDYNAMICSPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

static bool isStatic(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape();
}

// The interpreter evaluates shape arithmetic on known sizes. Both limits are far above what
// programs need for the ranks that they use.
static constexpr size_t maxEvaluatedOperations = 512;
static constexpr int64_t maxEvaluatedElements = 256;

namespace {
class SizeEvaluator {
public:
  std::optional<Tensor> run(Value value) {
    if (auto known = values.find(value); known != values.end()) {
      return known->second;
    }
    std::optional<Tensor> made;
    if (isStatic(value) && elementsOf(value) <= maxEvaluatedElements &&
        isa<IntegerType>(getElementTypeOrSelf(value.getType())) &&
        values.size() < maxEvaluatedOperations) {
      made = evaluateDefinition(value);
    }
    values[value] = made;
    return made;
  }

private:
  std::optional<Tensor> evaluateDefinition(Value value) {
    Operation *op = value.getDefiningOp();
    if (auto constant = dyn_cast_or_null<stablehlo::ConstantOp>(op)) {
      Result<Tensor> tensor = tensorFromAttribute(constant.getValue());
      return tensor ? std::optional(*tensor) : std::nullopt;
    }
    if (auto size = dyn_cast_or_null<stablehlo::GetDimensionSizeOp>(op)) {
      int64_t known = shapeOf(size.getOperand())[size.getDimension()];
      bool isKnown = !hasSymbolicSizes(size.getOperand().getType()) &&
                     !ShapedType::isDynamic(known) && llvm::isInt<32>(known);
      auto type = cast<RankedTensorType>(value.getType());
      Builder builder(op->getContext());
      Result<Tensor> tensor = tensorFromAttribute(DenseElementsAttr::get(
          type, builder.getI32IntegerAttr(static_cast<int32_t>(isKnown ? known : 0))));
      return isKnown && tensor ? std::optional(*tensor) : std::nullopt;
    }
    bool isSimple = op && isPure(op) && op->getNumResults() == 1 && op->getNumRegions() == 0;
    if (!isSimple) {
      return std::nullopt;
    }
    std::vector<Tensor> operands;
    for (Value operand : op->getOperands()) {
      std::optional<Tensor> known = run(operand);
      if (!known) {
        return std::nullopt;
      }
      operands.push_back(*known);
    }
    Result<std::vector<Tensor>> results = evaluate(op, operands);
    return results ? std::optional(results->front()) : std::nullopt;
  }

  llvm::DenseMap<Value, std::optional<Tensor>> values;
};
} // namespace

// Returns the integers of a value, if they are known.
static std::optional<SmallVector<int64_t>> knownIntegers(Value value) {
  if (auto numbers = stablehlo::constantIntegers(value)) {
    return numbers;
  }
  std::optional<Tensor> tensor = SizeEvaluator().run(value);
  if (!tensor) {
    return std::nullopt;
  }
  SmallVector<int64_t> numbers;
  for (int64_t i = 0; i < tensor->elements(); ++i) {
    numbers.push_back(interpreter::integerAt(*tensor, i));
  }
  return numbers;
}

// Returns the known integers of each value, or nothing if a value isn't known.
static std::optional<SmallVector<SmallVector<int64_t>>> constants(ValueRange values) {
  SmallVector<SmallVector<int64_t>> found;
  for (Value value : values) {
    auto numbers = knownIntegers(value);
    if (!numbers) {
      return std::nullopt;
    }
    found.push_back(*numbers);
  }
  return found;
}

// Returns whether the sizes differ from those of the result's type. Dynamic sizes of the type don't
// count: there, the program promises that they agree.
static bool contradicts(Value sizes, Value result) {
  auto numbers = knownIntegers(sizes);
  return numbers && ArrayRef<int64_t>(*numbers) != shapeOf(result);
}

// Replaces the operation if the static operation is valid; the program's sizes may be
// contradictory.
static LogicalResult replaceIfValid(PatternRewriter &rewriter, Operation *op, Operation *made) {
  ScopedDiagnosticHandler quiet(op->getContext(), [](mlir::Diagnostic &) { return success(); });
  if (failed(verify(made))) {
    rewriter.eraseOp(made);
    return rewriter.notifyMatchFailure(op, "the static operation would be invalid");
  }
  rewriter.replaceOp(op, made);
  return success();
}

// dynamic_reshape(x, sizes) = reshape(x), if the result's sizes are known
struct SimplifyDynamicReshape : OpRewritePattern<stablehlo::DynamicReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::DynamicReshapeOp op,
                                PatternRewriter &rewriter) const override {
    if (!isStatic(op.getResult()) || !isStatic(op.getOperand())) {
      return rewriter.notifyMatchFailure(op, "a size is known only at run time");
    }
    if (contradicts(op.getOutputShape(), op.getResult())) {
      return rewriter.notifyMatchFailure(op, "the sizes differ from those of the result's type");
    }
    rewriter.replaceOpWithNewOp<stablehlo::ReshapeOp>(op, op.getType(), op.getOperand());
    return success();
  }
};

// dynamic_broadcast_in_dim(x, sizes) = broadcast_in_dim(x), if the result's sizes are known
struct SimplifyDynamicBroadcast : OpRewritePattern<stablehlo::DynamicBroadcastInDimOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::DynamicBroadcastInDimOp op,
                                PatternRewriter &rewriter) const override {
    if (!isStatic(op.getResult()) || !isStatic(op.getOperand())) {
      return rewriter.notifyMatchFailure(op, "a size is known only at run time");
    }
    if (contradicts(op.getOutputDimensions(), op.getResult())) {
      return rewriter.notifyMatchFailure(op, "the sizes differ from those of the result's type");
    }
    rewriter.replaceOpWithNewOp<stablehlo::BroadcastInDimOp>(
        op, op.getType(), op.getOperand(),
        rewriter.getDenseI64ArrayAttr(op.getBroadcastDimensions()));
    return success();
  }
};

// dynamic_iota(sizes) = iota, if the result's sizes are known
struct SimplifyDynamicIota : OpRewritePattern<stablehlo::DynamicIotaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::DynamicIotaOp op,
                                PatternRewriter &rewriter) const override {
    if (!isStatic(op.getResult())) {
      return rewriter.notifyMatchFailure(op, "a size is known only at run time");
    }
    if (contradicts(op.getOutputShape(), op.getResult())) {
      return rewriter.notifyMatchFailure(op, "the sizes differ from those of the result's type");
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
    return replaceIfValid(rewriter, op,
                          stablehlo::PadOp::create(rewriter, op.getLoc(), op.getType(),
                                                   op.getOperand(), op.getPaddingValue(),
                                                   rewriter.getDenseI64ArrayAttr((*numbers)[0]),
                                                   rewriter.getDenseI64ArrayAttr((*numbers)[1]),
                                                   rewriter.getDenseI64ArrayAttr((*numbers)[2])));
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
    return replaceIfValid(rewriter, op,
                          stablehlo::SliceOp::create(rewriter, op.getLoc(), op.getType(),
                                                     op.getOperand(),
                                                     rewriter.getDenseI64ArrayAttr((*numbers)[0]),
                                                     rewriter.getDenseI64ArrayAttr((*numbers)[1]),
                                                     rewriter.getDenseI64ArrayAttr((*numbers)[2])));
  }
};

// dynamic_conv(x, w, constants) = convolution(x, w)
struct SimplifyDynamicConv : OpRewritePattern<stablehlo::DynamicConvOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::DynamicConvOp op,
                                PatternRewriter &rewriter) const override {
    auto numbers = knownIntegers(op.getPadding());
    if (!isStatic(op.getResult()) || !isStatic(op.getLhs()) || !isStatic(op.getRhs()) || !numbers) {
      return rewriter.notifyMatchFailure(op, "a size or padding is known only at run time");
    }
    auto rank = static_cast<int64_t>(numbers->size()) / 2;
    auto type = RankedTensorType::get({rank, 2}, rewriter.getI64Type());
    return replaceIfValid(rewriter, op,
                          stablehlo::ConvolutionOp::create(
                              rewriter, op.getLoc(), op.getType(), op.getLhs(), op.getRhs(),
                              op.getWindowStridesAttr(), DenseIntElementsAttr::get(type, *numbers),
                              op.getLhsDilationAttr(), op.getRhsDilationAttr(),
                              op.getWindowReversalAttr(), op.getDimensionNumbersAttr(),
                              op.getFeatureGroupCountAttr(), op.getBatchGroupCountAttr(),
                              op.getPrecisionConfigAttr()));
  }
};

// dynamic_gather(x, i, constants) = gather(x, i)
struct SimplifyDynamicGather : OpRewritePattern<stablehlo::DynamicGatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::DynamicGatherOp op,
                                PatternRewriter &rewriter) const override {
    auto sizes = knownIntegers(op.getSliceSizes());
    if (!isStatic(op.getResult()) || !isStatic(op.getOperand()) ||
        !isStatic(op.getStartIndices()) || !sizes) {
      return rewriter.notifyMatchFailure(op, "a size is known only at run time");
    }
    return replaceIfValid(
        rewriter, op,
        stablehlo::GatherOp::create(rewriter, op.getLoc(), op.getType(), op.getOperand(),
                                    op.getStartIndices(), op.getDimensionNumbers(),
                                    rewriter.getDenseI64ArrayAttr(*sizes),
                                    rewriter.getBoolAttr(op.getIndicesAreSorted())));
  }
};

// get_dimension_size(x) = a constant, if the size is known
struct SimplifyDimensionSize : OpRewritePattern<stablehlo::GetDimensionSizeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::GetDimensionSizeOp op,
                                PatternRewriter &rewriter) const override {
    auto operand = cast<RankedTensorType>(op.getOperand().getType());
    int64_t size = operand.getDimSize(static_cast<unsigned>(op.getDimension()));
    if (hasSymbolicSizes(operand) || ShapedType::isDynamic(size) ||
        size > std::numeric_limits<int32_t>::max()) {
      return rewriter.notifyMatchFailure(op, "the size is known only at run time");
    }
    auto type = cast<RankedTensorType>(op.getType());
    rewriter.replaceOpWithNewOp<stablehlo::ConstantOp>(
        op, DenseElementsAttr::get(type, rewriter.getI32IntegerAttr(static_cast<int32_t>(size))));
    return success();
  }
};

// set_dimension_size(x, constant) = the first elements along the dimension
struct SimplifySetDimensionSize : OpRewritePattern<stablehlo::SetDimensionSizeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(stablehlo::SetDimensionSizeOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType operand = op.getOperand().getType(), result = op.getType();
    if (!op.getSize().getDefiningOp<stablehlo::ConstantOp>() || !operand.hasStaticShape() ||
        !result.hasStaticShape() || operand.getEncoding() || result.getEncoding()) {
      return rewriter.notifyMatchFailure(op, "the size is known only at run time");
    }
    auto numbers = [&](ArrayRef<int64_t> values) { return rewriter.getDenseI64ArrayAttr(values); };
    SmallVector<int64_t> first(operand.getShape().size(), 0), step(first.size(), 1);
    rewriter.replaceOpWithNewOp<stablehlo::SliceOp>(op, op.getOperand(), numbers(first),
                                                    numbers(result.getShape()), numbers(step));
    return success();
  }
};

// Returns whether an operation wasn't replaced although all its sizes and other numbers are known.
static bool isContradiction(Operation *op) {
  auto areKnown = [&](ValueRange numbers) {
    return llvm::all_of(op->getOperands(), isStatic) && isStatic(op->getResult(0)) &&
           constants(numbers).has_value();
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<stablehlo::DynamicReshapeOp, stablehlo::DynamicIotaOp>(
          [&](auto made) { return areKnown(made.getOutputShape()); })
      .Case<stablehlo::DynamicBroadcastInDimOp>(
          [&](auto made) { return areKnown(made.getOutputDimensions()); })
      .Case<stablehlo::DynamicPadOp>([&](auto pad) {
        return areKnown(
            {pad.getEdgePaddingLow(), pad.getEdgePaddingHigh(), pad.getInteriorPadding()});
      })
      .Case<stablehlo::RealDynamicSliceOp>([&](auto slice) {
        return areKnown({slice.getStartIndices(), slice.getLimitIndices(), slice.getStrides()});
      })
      .Case<stablehlo::DynamicGatherOp>(
          [&](auto gather) { return areKnown(gather.getSliceSizes()); })
      .Case<stablehlo::DynamicConvOp>([&](auto conv) { return areKnown(conv.getPadding()); })
      .Default([](Operation *) { return false; });
}

struct SimplifyDynamicsPass : impl::SimplifyDynamicsPassBase<SimplifyDynamicsPass> {
  using impl::SimplifyDynamicsPassBase<SimplifyDynamicsPass>::SimplifyDynamicsPassBase;
  explicit SimplifyDynamicsPass(std::optional<drumlin::Diagnostic> &failure) : failure(&failure) {}

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<SimplifyDynamicReshape, SimplifyDynamicBroadcast, SimplifyDynamicIota,
                 SimplifyDynamicPad, SimplifyRealDynamicSlice, SimplifyDynamicGather,
                 SimplifyDynamicConv, SimplifyDimensionSize, SimplifySetDimensionSize>(
        &getContext());
    if (failed(applyPatterns(getOperation(), std::move(patterns)))) {
      signalPassFailure();
      return;
    }
    WalkResult found = getOperation().walk([&](Operation *op) {
      if (!isContradiction(op)) {
        return WalkResult::advance();
      }
      std::string text;
      llvm::raw_string_ostream(text) << op->getResult(0).getType();
      reportFailure(op,
                    diagnose(errors::ProgramInvalid,
                             "the sizes that the program computes for `" +
                                 op->getName().getStringRef().str() + "` don't make its result `" +
                                 text + "`",
                             plan::sourceOf(op->getLoc())),
                    failure);
      return WalkResult::interrupt();
    });
    if (found.wasInterrupted()) {
      signalPassFailure();
    }
  }

private:
  std::optional<drumlin::Diagnostic> *failure = nullptr;
};

std::unique_ptr<Pass> createSimplifyDynamicsPass(std::optional<drumlin::Diagnostic> &failure) {
  return std::make_unique<SimplifyDynamicsPass>(failure);
}

} // namespace drumlin
