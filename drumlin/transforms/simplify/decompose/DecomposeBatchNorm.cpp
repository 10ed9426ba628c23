// Normalization over all dimensions but one, as the specification composes it: each operation rounds
// to the element type.
#include "drumlin/transforms/simplify/decompose/Decompose.h"

using namespace mlir;

namespace drumlin {

namespace {
// The parts that the three operations share.
class Normalization {
public:
  Normalization(Operation *op, int64_t feature, llvm::APFloat epsilon)
      : b(op), operand(op->getOperand(0)), shape(shapeOf(operand)), feature(feature),
        element(TensorBuilder::elementOf(operand)), epsilon(epsilon.convertToDouble()) {
    for (auto [d, size] : llvm::enumerate(shape)) {
      if (static_cast<int64_t>(d) != feature) {
        reduced.push_back(static_cast<int64_t>(d));
        count *= static_cast<double>(size);
      }
    }
  }

  // A vector along the feature dimension, in the operand's shape.
  Value spread(Value vector) { return b.broadcast(vector, shape, {feature}); }
  Value centered(Value mean) { return b.subtract(operand, spread(mean)); }
  Value withEpsilon(Value variance) {
    return b.add(spread(variance), b.number(element, epsilon, shape));
  }
  Value sum(Value tensor) { return b.sum(tensor, reduced); }
  Value mean(Value tensor) {
    Value total = sum(tensor);
    return b.divide(total, b.number(element, count, shapeOf(total)));
  }
  // How many elements a feature has, in the operand's shape.
  Value counts() { return b.number(element, count, shape); }

  Value normalize(Value scale, Value offset, Value mean, Value variance) {
    Value deviation = b.unary<stablehlo::SqrtOp>(withEpsilon(variance));
    Value normalized = b.divide(centered(mean), deviation);
    return b.add(b.multiply(spread(scale), normalized), spread(offset));
  }

  TensorBuilder b;
  Value operand;

private:
  SmallVector<int64_t> shape;
  int64_t feature;
  Type element;
  double epsilon;
  SmallVector<int64_t> reduced;
  double count = 1;
};
} // namespace

static Replacements inference(stablehlo::BatchNormInferenceOp op) {
  Normalization n(op, static_cast<int64_t>(op.getFeatureIndex()), op.getEpsilon());
  return SmallVector<Value>{
      n.normalize(op.getScale(), op.getOffset(), op.getMean(), op.getVariance())};
}

static Replacements training(stablehlo::BatchNormTrainingOp op) {
  Normalization n(op, static_cast<int64_t>(op.getFeatureIndex()), op.getEpsilon());
  Value mean = n.mean(op.getOperand());
  Value distance = n.centered(mean);
  Value variance = n.mean(n.b.multiply(distance, distance));
  Value output = n.normalize(op.getScale(), op.getOffset(), mean, variance);
  return SmallVector<Value>{output, mean, variance};
}

static Replacements gradient(stablehlo::BatchNormGradOp op) {
  Normalization n(op, static_cast<int64_t>(op.getFeatureIndex()), op.getEpsilon());
  TensorBuilder &b = n.b;
  Value gradOutput = op.getGradOutput();
  Value distance = n.centered(op.getMean());
  Value squared = n.withEpsilon(op.getVariance());
  Value deviation = b.unary<stablehlo::SqrtOp>(squared);
  Value normalized = b.divide(distance, deviation);
  Value gradOffset = n.sum(gradOutput);
  Value covariance = n.spread(n.sum(b.multiply(gradOutput, distance)));
  Value correction = b.divide(b.multiply(covariance, distance), squared);
  Value scaled = b.multiply(gradOutput, n.counts());
  Value remaining = b.subtract(b.subtract(scaled, n.spread(gradOffset)), correction);
  Value factor = b.divide(b.divide(n.spread(op.getScale()), deviation), n.counts());
  Value gradScale = n.sum(b.multiply(gradOutput, normalized));
  return SmallVector<Value>{b.multiply(factor, remaining), gradScale, gradOffset};
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
