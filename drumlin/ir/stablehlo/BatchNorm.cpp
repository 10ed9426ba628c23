// Verifiers of normalization over all dimensions but one.
#include "drumlin/ir/stablehlo/BatchNormOps.h"
#include "drumlin/ir/stablehlo/Constraints.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/BatchNorm.cpp.inc"

namespace drumlin::stablehlo {

void StablehloDialect::addBatchNormOperations() {
  addOperations<
#define GET_OP_LIST
#include "drumlin/ir/stablehlo/BatchNorm.cpp.inc"
      >();
}

// Checks the constraints c1 and c2, which the three operations share: the feature dimension is a
// dimension of the operand, and all tensors have the same kind of element.
static LogicalResult checkFeature(Operation *op, StringRef name, int64_t feature) {
  auto emit = [&] { return op->emitOpError(); };
  auto operand = cast<RankedTensorType>(op->getOperand(0).getType());
  if (failed(
          checkInRange(emit, (name + "_c1").str(), "feature_index", feature, operand.getRank()))) {
    return failure();
  }
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Type type : types) {
    if (failed(
            checkBaseline(emit, (name + "_c2").str(), "each operand and result", type, operand))) {
      return failure();
    }
  }
  return success();
}

// Checks that `vector` has one element per index of the feature dimension.
static LogicalResult checkVector(Operation *op, StringRef label, StringRef name, Value vector,
                                 int64_t feature) {
  return checkShape([&] { return op->emitOpError(); }, label, name, shapeOf(vector),
                    {shapeOf(op->getOperand(0))[feature]});
}

LogicalResult BatchNormGradOp::verify() {
  auto emit = [&] { return emitOpError(); };
  int64_t feature = getFeatureIndex();
  // batch_norm_grad_c1, batch_norm_grad_c2
  if (failed(checkFeature(*this, "batch_norm_grad", feature))) {
    return failure();
  }
  // batch_norm_grad_c3
  for (Value tensor : {Value(getGradOutput()), Value(getGradOperand())}) {
    if (failed(checkShape(emit, "batch_norm_grad_c3", "grad_output and grad_operand",
                          shapeOf(tensor), shapeOf(getOperand())))) {
      return failure();
    }
  }
  // batch_norm_grad_c4
  for (Value vector :
       {Value(getMean()), Value(getVariance()), Value(getGradScale()), Value(getGradOffset())}) {
    if (failed(checkShape(emit, "batch_norm_grad_c4", "mean, variance, grad_scale and grad_offset",
                          shapeOf(vector), shapeOf(getScale())))) {
      return failure();
    }
  }
  // batch_norm_grad_c5
  return checkVector(*this, "batch_norm_grad_c5", "scale", getScale(), feature);
}

LogicalResult BatchNormInferenceOp::verify() {
  int64_t feature = getFeatureIndex();
  // batch_norm_inference_c1, batch_norm_inference_c2, batch_norm_inference_c3,
  // batch_norm_inference_c4, batch_norm_inference_c5, batch_norm_inference_c6
  if (failed(checkFeature(*this, "batch_norm_inference", feature)) ||
      failed(checkVector(*this, "batch_norm_inference_c3", "scale", getScale(), feature)) ||
      failed(checkVector(*this, "batch_norm_inference_c4", "offset", getOffset(), feature)) ||
      failed(checkVector(*this, "batch_norm_inference_c5", "mean", getMean(), feature)) ||
      failed(checkVector(*this, "batch_norm_inference_c6", "variance", getVariance(), feature))) {
    return failure();
  }
  // batch_norm_inference_c7
  return checkBaselineType([&] { return emitOpError(); }, "batch_norm_inference_c7", "the result",
                           getType(), getOperand().getType());
}

LogicalResult BatchNormTrainingOp::verify() {
  int64_t feature = getFeatureIndex();
  // batch_norm_training_c1, batch_norm_training_c2, batch_norm_training_c3, batch_norm_training_c4,
  // batch_norm_training_c5, batch_norm_training_c6
  if (failed(checkFeature(*this, "batch_norm_training", feature)) ||
      failed(checkVector(*this, "batch_norm_training_c3", "scale", getScale(), feature)) ||
      failed(checkVector(*this, "batch_norm_training_c4", "offset", getOffset(), feature)) ||
      failed(checkVector(*this, "batch_norm_training_c5", "batch_mean", getBatchMean(), feature)) ||
      failed(checkVector(*this, "batch_norm_training_c6", "batch_var", getBatchVar(), feature))) {
    return failure();
  }
  // batch_norm_training_c7
  return checkBaselineType([&] { return emitOpError(); }, "batch_norm_training_c7", "the output",
                           getOutput().getType(), getOperand().getType());
}

//===-- indexing ------------------------------------------------------------------------------===//

// Returns the map to all elements of the same feature.
static IndexingMap ofFeature(OpOperand &operand, unsigned result, uint64_t featureIndex) {
  IndexingBuilder made = indexingBuilder(operand, result);
  bool isVector = operand.getOwner()->getResult(result).getType() !=
                  operand.getOwner()->getOperand(0).getType();
  AffineExpr feature = made.dim(isVector ? 0 : featureIndex);
  ArrayRef<int64_t> shape = shapeOf(operand.get());
  bool isOfVector = operand.get().getType() != operand.getOwner()->getOperand(0).getType();
  for (auto [d, size] : llvm::enumerate(shape)) {
    made.at(d) = isOfVector || d == featureIndex ? feature : made.all(size);
  }
  return made.finish();
}

IndexingMap BatchNormGradOp::indexingOf(OpOperand &operand, unsigned result) {
  return ofFeature(operand, result, getFeatureIndex());
}

IndexingMap BatchNormInferenceOp::indexingOf(OpOperand &operand, unsigned result) {
  if (operand.getOperandNumber() == 0) {
    return IndexingMap::identity(shapeOf(getOperand()), getContext());
  }
  return ofFeature(operand, result, getFeatureIndex());
}

IndexingMap BatchNormTrainingOp::indexingOf(OpOperand &operand, unsigned result) {
  return ofFeature(operand, result, getFeatureIndex());
}

} // namespace drumlin::stablehlo
