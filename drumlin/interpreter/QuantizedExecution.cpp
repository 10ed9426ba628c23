#include "drumlin/interpreter/QuantizedExecution.h"

#include "drumlin/interpreter/ValueTypes.h"
#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/stablehlo/BatchNormGradOp.h"
#include "drumlin/ir/stablehlo/BatchNormInferenceOp.h"
#include "drumlin/ir/stablehlo/BatchNormTrainingOp.h"
#include "drumlin/ir/stablehlo/CholeskyOp.h"
#include "drumlin/ir/stablehlo/ClampOp.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/DotOp.h"
#include "drumlin/ir/stablehlo/DynamicConvOp.h"
#include "drumlin/ir/stablehlo/DynamicIotaOp.h"
#include "drumlin/ir/stablehlo/EinsumOp.h"
#include "drumlin/ir/stablehlo/IotaOp.h"
#include "drumlin/ir/stablehlo/ReducePrecisionOp.h"
#include "drumlin/ir/stablehlo/TriangularSolveOp.h"
#include "drumlin/ir/stablehlo/UniformDequantizeOp.h"
#include "drumlin/ir/stablehlo/UniformQuantizeOp.h"

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

Result<Tensors> expressedOperands(mlir::Operation *operation, Tensors operands,
                                  const interpreter::KernelOptions &options) {
  for (auto [type, tensor] : llvm::zip_equal(operation->getOperandTypes(), operands)) {
    if (auto quantization = quantizationOf(llvm::cast<mlir::RankedTensorType>(type))) {
      Result<Tensor> expressed = dequantize(tensor, *quantization, options);
      if (!expressed) {
        return expressed.error();
      }
      tensor = std::move(*expressed);
    }
  }
  return operands;
}

Result<Tensors> storedResults(mlir::Operation *operation, Tensors results,
                              const interpreter::KernelOptions &options) {
  for (auto [type, tensor] : llvm::zip_equal(operation->getResultTypes(), results)) {
    if (auto quantization = quantizationOf(llvm::cast<mlir::RankedTensorType>(type))) {
      Result<Tensor> stored = quantize(tensor, *quantization, options);
      if (!stored) {
        return stored.error();
      }
      tensor = std::move(*stored);
    }
  }
  return results;
}

} // namespace drumlin
