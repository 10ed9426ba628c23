#include "drumlin/interpreter/QuantizedExecution.h"

#include "drumlin/interpreter/Handlers.h"
#include "drumlin/interpreter/ValueTypes.h"
#include "drumlin/ir/chlo/ChloOps.h"

namespace drumlin {

using Tensors = std::vector<Tensor>;

bool computesOnExpressedNumbers(mlir::Operation *operation) {
  auto isQuantized = [](mlir::Type type) { return stablehlo::isQuantized(type); };
  if (llvm::none_of(operation->getOperandTypes(), isQuantized) &&
      llvm::none_of(operation->getResultTypes(), isQuantized)) {
    return false;
  }
  if (llvm::isa<stablehlo::UniformQuantizeOp, stablehlo::UniformDequantizeOp>(operation)) {
    return false;
  }
  return operation->hasTrait<mlir::OpTrait::Elementwise>() ||
         operation->hasTrait<chlo::Broadcasts>() ||
         llvm::isa<stablehlo::BatchNormGradOp, stablehlo::BatchNormInferenceOp,
                   stablehlo::BatchNormTrainingOp, stablehlo::CholeskyOp, stablehlo::ClampOp,
                   stablehlo::ConvolutionOp, stablehlo::DotGeneralOp, stablehlo::DotOp,
                   stablehlo::DynamicConvOp, stablehlo::DynamicIotaOp, stablehlo::EinsumOp,
                   stablehlo::IotaOp, stablehlo::ReducePrecisionOp, stablehlo::TriangularSolveOp>(
             operation);
}

Result<Tensors> executeOnExpressedNumbers(mlir::Operation *operation,
                                          const OperationHandler &handler, Tensors operands,
                                          Frame &frame) {
  for (auto [type, tensor] : llvm::zip_equal(operation->getOperandTypes(), operands)) {
    if (auto quantization = quantizationOf(llvm::cast<mlir::RankedTensorType>(type))) {
      Result<Tensor> expressed = dequantize(tensor, *quantization, frame.kernels());
      if (!expressed) {
        return expressed.error();
      }
      tensor = std::move(*expressed);
    }
  }
  Result<Tensors> results = handler(operation, std::move(operands), frame);
  if (!results) {
    return results;
  }
  for (auto [type, tensor] : llvm::zip_equal(operation->getResultTypes(), *results)) {
    if (auto quantization = quantizationOf(llvm::cast<mlir::RankedTensorType>(type))) {
      Result<Tensor> stored = quantize(tensor, *quantization, frame.kernels());
      if (!stored) {
        return stored.error();
      }
      tensor = std::move(*stored);
    }
  }
  return results;
}

namespace interpreter {

// From floating-point numbers, or from quantized ones by way of what they stand for.
static Result<Tensors> quantizeElements(stablehlo::UniformQuantizeOp op, Tensors &operands,
                                        Frame &frame) {
  auto target = quantizationOf(op.getResult().getType());
  auto source = quantizationOf(op.getOperand().getType());
  if (!source) {
    return single(quantize(operands[0], *target, frame.kernels()));
  }
  Result<Tensor> expressed = dequantize(operands[0], *source, frame.kernels());
  return expressed ? single(quantize(*expressed, *target, frame.kernels()))
                   : Result<Tensors>(expressed.error());
}

void addQuantizeHandlers(InterpreterTable &table) {
  add<stablehlo::UniformQuantizeOp>(table, quantizeElements);
  add<stablehlo::UniformDequantizeOp>(
      table, [](stablehlo::UniformDequantizeOp op, Tensors &operands, Frame &frame) {
        auto quantization = quantizationOf(op.getOperand().getType());
        return single(dequantize(operands[0], *quantization, frame.kernels()));
      });
}

} // namespace interpreter
} // namespace drumlin
