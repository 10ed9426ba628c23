// Decomposes normalization over all dimensions except one, as the specification defines it: each
// operation rounds to the element type.
#include "drumlin/ir/stablehlo/BatchNormGradOp.h"
#include "drumlin/ir/stablehlo/BatchNormInferenceOp.h"
#include "drumlin/ir/stablehlo/BatchNormTrainingOp.h"
#include "drumlin/ir/stablehlo/NegOp.h"
#include "drumlin/ir/stablehlo/SqrtOp.h"
#include "drumlin/transforms/simplify/decompose/Decompose.h"

using namespace mlir;

namespace drumlin {

namespace {
// The steps that the three operations share. Tensors are viewed as [outer, feature, inner], without
// dimensions of size one, so that kernels traverse long rows.
class Normalization {
public:
  Normalization(Operation *op, int64_t feature, llvm::APFloat epsilon)
      : b(op), shape(TensorShape::of(op->getOperand(0))),
        element(TensorBuilder::elementOf(op->getOperand(0))), epsilon(epsilon.convertToDouble()) {
    Size outer = 1, inner = 1;
    for (auto [d, size] : llvm::enumerate(shape)) {
      auto dimension = static_cast<int64_t>(d);
      outer = dimension < feature ? outer * size : outer;
      inner = dimension > feature ? inner * size : inner;
    }
    features = shape[static_cast<size_t>(feature)];
    count = outer * inner;
    if (!outer.is(1)) {
      merged.push_back(outer);
    }
    place = static_cast<int64_t>(merged.size());
    merged.push_back(features);
    if (!inner.is(1)) {
      merged.push_back(inner);
    }
    operand = merge(op->getOperand(0));
  }

  Value merge(Value tensor) { return b.reshape(tensor, merged); }
  Value split(Value tensor) { return b.reshape(tensor, shape); }
  // Broadcasts a vector along the feature dimension.
  Value spread(Value vector) { return b.broadcast(vector, merged, {place}); }
  Value centered(Value mean) { return b.subtract(operand, spread(mean)); }
  // opposite() returns the negated differences from the mean. Squares, and products of two
  // differences, use them, since the signs cancel. They are not the same values as the differences
  // in later steps. So each kernel recomputes its differences, and none are stored. Types without a
  // sign have no negated numbers.
  bool hasSign() const {
    return llvm::APFloat::semanticsHasSignedRepr(cast<FloatType>(element).getFloatSemantics());
  }
  Value opposite(Value mean) {
    return hasSign() ? b.subtract(spread(mean), operand) : centered(mean);
  }
  // Return vectors: the variance + epsilon, and the number of elements per feature.
  Value withEpsilon(Value variance) {
    return b.add(variance, b.number(element, epsilon, {features}));
  }
  Value counts() {
    return count.symbolic ? b.convert(b.count(count, {features}), element)
                          : b.number(element, static_cast<double>(count.nominal), {features});
  }

  // Sums over all dimensions except the feature dimension: first along rows, then the sums of rows.
  // Narrow numbers are rounded once, at the end.
  Value sum(Value tensor) {
    if (merged.size() < 3) {
      int64_t other = place == 0 ? 1 : 0;
      return merged.size() == 1 ? b.sum(tensor, {}) : b.sum(tensor, {other});
    }
    bool isNarrow = element.getIntOrFloatBitWidth() <= 16;
    Value terms = isNarrow ? b.convert(tensor, b.operations().getF32Type()) : tensor;
    return b.convert(b.sum(b.sum(terms, {2}), {0}), element);
  }
  Value mean(Value tensor) { return b.divide(sum(tensor), counts()); }

  Value normalize(Value scale, Value offset, Value mean, Value variance) {
    Value deviation = b.unary<stablehlo::SqrtOp>(withEpsilon(variance));
    Value normalized = b.divide(centered(mean), spread(deviation));
    return split(b.add(b.multiply(spread(scale), normalized), spread(offset)));
  }

  TensorBuilder b;
  Value operand;

private:
  TensorShape shape, merged;
  Type element;
  double epsilon;
  Size features = 0; // size of the feature dimension
  int64_t place;     // number of the feature dimension
  Size count = 0;    // elements per feature
};
} // namespace

static Replacements inference(stablehlo::BatchNormInferenceOp op) {
  Normalization n(op, static_cast<int64_t>(op.getFeatureIndex()), op.getEpsilon());
  return SmallVector<Value>{
      n.normalize(op.getScale(), op.getOffset(), op.getMean(), op.getVariance())};
}

static Replacements training(stablehlo::BatchNormTrainingOp op) {
  Normalization n(op, static_cast<int64_t>(op.getFeatureIndex()), op.getEpsilon());
  Value mean = n.mean(n.operand);
  Value distance = n.opposite(mean);
  Value variance = n.mean(n.b.multiply(distance, distance));
  Value output = n.normalize(op.getScale(), op.getOffset(), mean, variance);
  return SmallVector<Value>{output, mean, variance};
}

static Replacements gradient(stablehlo::BatchNormGradOp op) {
  Normalization n(op, static_cast<int64_t>(op.getFeatureIndex()), op.getEpsilon());
  TensorBuilder &b = n.b;
  Value gradOutput = n.merge(op.getGradOutput());
  Value distance = n.centered(op.getMean());
  Value squared = n.withEpsilon(op.getVariance());
  Value deviation = b.unary<stablehlo::SqrtOp>(squared);
  Value normalized = b.divide(distance, n.spread(deviation));
  Value gradOffset = n.sum(gradOutput);
  Value covariance = n.sum(b.multiply(gradOutput, distance));
  if (n.hasSign()) {
    covariance = b.unary<stablehlo::NegOp>(covariance);
  }
  Value moved = b.multiply(n.spread(covariance), n.opposite(op.getMean()));
  Value correction = b.divide(moved, n.spread(squared));
  Value scaled = b.multiply(gradOutput, n.spread(n.counts()));
  Value remaining = b.subtract(b.subtract(scaled, n.spread(gradOffset)), correction);
  Value factor = b.divide(b.divide(op.getScale(), deviation), n.counts());
  Value gradScale = n.sum(b.multiply(gradOutput, normalized));
  return SmallVector<Value>{n.split(b.multiply(n.spread(factor), remaining)), gradScale,
                            gradOffset};
}

Replacements decomposeBatchNorm(Operation *op) {
  if (auto inferenceOp = dyn_cast<stablehlo::BatchNormInferenceOp>(op)) {
    return inference(inferenceOp);
  }
  if (auto trainingOp = dyn_cast<stablehlo::BatchNormTrainingOp>(op)) {
    return training(trainingOp);
  }
  auto gradOp = dyn_cast<stablehlo::BatchNormGradOp>(op);
  return gradOp ? gradient(gradOp) : std::nullopt;
}

} // namespace drumlin
