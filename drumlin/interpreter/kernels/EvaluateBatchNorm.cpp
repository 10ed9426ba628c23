#include "drumlin/interpreter/kernels/EvaluateBatchNorm.h"
#include "drumlin/interpreter/kernels/Elements.h"
#include "drumlin/interpreter/kernels/EvaluateElementwise.h"
#include "drumlin/interpreter/kernels/EvaluateReduce.h"
#include "drumlin/interpreter/kernels/EvaluateShape.h"
#include "drumlin/interpreter/kernels/Index.h"

namespace drumlin::interpreter {

namespace {
// Evaluates the specification's expressions over tensors of one operand's shape. It keeps the first
// error and computes nothing after it.
class Expression {
public:
  Expression(const Tensor &operand, int64_t feature, const KernelOptions &options)
      : type(operand.type()), shape(operand.shape()), feature(feature), options(options) {}

  // Broadcasts a vector along the feature dimension to the operand's shape.
  Tensor broadcast(const Tensor &vector) {
    std::vector<int64_t> dimensions{feature};
    return keep([&] { return broadcastInDim(vector, dimensions, shape, options); });
  }
  Tensor broadcast(double number) {
    return keep([&] { return broadcastInDim(constant(number), {}, shape, options); });
  }
  Tensor apply(BinaryOperation operation, const Tensor &lhs, const Tensor &rhs) {
    return keep([&] { return binary(operation, lhs, rhs); });
  }
  Tensor add(const Tensor &a, const Tensor &b) { return apply(BinaryOperation::Add, a, b); }
  Tensor subtract(const Tensor &a, const Tensor &b) {
    return apply(BinaryOperation::Subtract, a, b);
  }
  Tensor multiply(const Tensor &a, const Tensor &b) {
    return apply(BinaryOperation::Multiply, a, b);
  }
  Tensor divide(const Tensor &a, const Tensor &b) { return apply(BinaryOperation::Divide, a, b); }
  Tensor sqrt(const Tensor &a) {
    return keep([&] { return unary(UnaryOperation::Sqrt, a); });
  }

  // Sums over all dimensions but the feature dimension.
  Tensor sum(const Tensor &tensor) {
    return keep([&]() -> Result<Tensor> {
      ReductionBody body;
      body.types = {type};
      body.operation = BinaryOperation::Add;
      std::vector<int64_t> kept{feature};
      std::vector<int64_t> reduced = remainingDimensions(static_cast<int64_t>(shape.size()), kept);
      Tensor zero = constant(0);
      Result<std::vector<Tensor>> sums = reduce({&tensor, 1}, {&zero, 1}, reduced, body, options);
      return sums ? Result<Tensor>(std::move(sums->front())) : Result<Tensor>(sums.error());
    });
  }
  Tensor mean(const Tensor &tensor) {
    Tensor total = sum(tensor);
    Tensor count =
        keep([&] { return broadcastInDim(constant(perFeature()), {}, total.shape(), options); });
    return divide(total, count);
  }
  // Returns size(operand) / dim(operand, feature) as the product of the other dimensions, without a
  // division by zero.
  double perFeature() const {
    double count = 1;
    for (size_t d = 0; d < shape.size(); ++d) {
      count *= static_cast<int64_t>(d) == feature ? 1 : static_cast<double>(shape[d]);
    }
    return count;
  }
  const std::optional<Diagnostic> &error() const { return failure; }

private:
  Tensor constant(double number) const {
    Tensor scalar(type, {});
    encodeRun(type, &number, scalar.data(), 1);
    return scalar;
  }
  template <typename Fn> Tensor keep(Fn compute) {
    if (failure) {
      return Tensor(type, {});
    }
    Result<Tensor> result = compute();
    if (!result) {
      failure = result.error();
      return Tensor(type, {});
    }
    return std::move(*result);
  }

  ElementType type;
  Shape shape;
  int64_t feature;
  const KernelOptions &options;
  std::optional<Diagnostic> failure;
};
} // namespace

// Values that the operations share: the operand minus the mean, the variance plus epsilon, and the
// square root of this sum.
struct Centered {
  Tensor operand;
  Tensor varianceAndEpsilon;
  Tensor deviation;
};

static Centered center(Expression &e, const Tensor &operand, const Tensor &mean,
                       const Tensor &variance, double epsilon) {
  Tensor distance = e.subtract(operand, e.broadcast(mean));
  Tensor sum = e.add(e.broadcast(variance), e.broadcast(epsilon));
  return {distance, sum, e.sqrt(sum)};
}

static Tensor normalize(Expression &e, const Tensor &operand, const Tensor &scale,
                        const Tensor &offset, const Tensor &mean, const Tensor &variance,
                        double epsilon) {
  Centered centered = center(e, operand, mean, variance, epsilon);
  Tensor normalized = e.divide(centered.operand, centered.deviation);
  return e.add(e.multiply(e.broadcast(scale), normalized), e.broadcast(offset));
}

static Result<std::vector<Tensor>> resultsOf(const Expression &e, std::vector<Tensor> results) {
  return e.error() ? Result<std::vector<Tensor>>(*e.error())
                   : Result<std::vector<Tensor>>(std::move(results));
}

Result<Tensor> batchNormInference(const Tensor &operand, const Tensor &scale, const Tensor &offset,
                                  const Tensor &mean, const Tensor &variance, double epsilon,
                                  int64_t feature, const KernelOptions &options) {
  if (!isFloat(operand.type())) {
    return unsupportedElementType("batch_norm_inference", operand.type());
  }
  Expression e(operand, feature, options);
  Tensor result = normalize(e, operand, scale, offset, mean, variance, epsilon);
  return e.error() ? Result<Tensor>(*e.error()) : Result<Tensor>(std::move(result));
}

Result<std::vector<Tensor>> batchNormTraining(const Tensor &operand, const Tensor &scale,
                                              const Tensor &offset, double epsilon, int64_t feature,
                                              const KernelOptions &options) {
  if (!isFloat(operand.type())) {
    return unsupportedElementType("batch_norm_training", operand.type());
  }
  Expression e(operand, feature, options);
  Tensor mean = e.mean(operand);
  Tensor centered = e.subtract(operand, e.broadcast(mean));
  Tensor variance = e.mean(e.multiply(centered, centered));
  Tensor output = normalize(e, operand, scale, offset, mean, variance, epsilon);
  return resultsOf(e, {output, mean, variance});
}

Result<std::vector<Tensor>> batchNormGrad(const Tensor &operand, const Tensor &scale,
                                          const Tensor &mean, const Tensor &variance,
                                          const Tensor &gradOutput, double epsilon, int64_t feature,
                                          const KernelOptions &options) {
  if (!isFloat(operand.type())) {
    return unsupportedElementType("batch_norm_grad", operand.type());
  }
  Expression e(operand, feature, options);
  Centered centered = center(e, operand, mean, variance, epsilon);
  Tensor normalized = e.divide(centered.operand, centered.deviation);
  Tensor count = e.broadcast(e.perFeature());
  Tensor gradOffset = e.sum(gradOutput);
  Tensor covariance = e.broadcast(e.sum(e.multiply(gradOutput, centered.operand)));
  Tensor correction =
      e.divide(e.multiply(covariance, centered.operand), centered.varianceAndEpsilon);
  Tensor remaining =
      e.subtract(e.subtract(e.multiply(gradOutput, count), e.broadcast(gradOffset)), correction);
  Tensor factor = e.divide(e.divide(e.broadcast(scale), centered.deviation), count);
  Tensor gradOperand = e.multiply(factor, remaining);
  Tensor gradScale = e.sum(e.multiply(gradOutput, normalized));
  return resultsOf(e, {gradOperand, gradScale, gradOffset});
}

} // namespace drumlin::interpreter
