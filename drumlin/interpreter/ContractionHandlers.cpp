#include "drumlin/interpreter/Frame.h"
#include "drumlin/interpreter/Handlers.h"
#include "drumlin/interpreter/kernels/Convolution.h"
#include "drumlin/interpreter/kernels/Dot.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"

namespace drumlin::interpreter {

using Tensors = std::vector<Tensor>;

// The precision and the algorithm that a program asks for bound the error of a dot from above; the
// oracle's sums are at least as exact as any of them.
static Result<Tensors> dot(stablehlo::DotGeneralOp op, Tensors &operands, Frame &frame) {
  stablehlo::DotDimensionNumbersAttr numbers = op.getDotDimensionNumbers();
  DotDimensions dimensions;
  dimensions.lhsBatching = numbers.getLhsBatchingDimensions().vec();
  dimensions.rhsBatching = numbers.getRhsBatchingDimensions().vec();
  dimensions.lhsContracting = numbers.getLhsContractingDimensions().vec();
  dimensions.rhsContracting = numbers.getRhsContractingDimensions().vec();
  return single(dotGeneral(operands[0], operands[1], dimensions,
                           elementTypeOf(op.getResult().getType()), frame.kernels()));
}

static Result<Tensors> convolve(stablehlo::ConvolutionOp op, Tensors &operands, Frame &frame) {
  stablehlo::ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  ConvolutionDimensions dimensions;
  dimensions.inputBatch = numbers.getInputBatchDimension();
  dimensions.inputFeature = numbers.getInputFeatureDimension();
  dimensions.inputSpatial = numbers.getInputSpatialDimensions().vec();
  dimensions.kernelInputFeature = numbers.getKernelInputFeatureDimension();
  dimensions.kernelOutputFeature = numbers.getKernelOutputFeatureDimension();
  dimensions.kernelSpatial = numbers.getKernelSpatialDimensions().vec();
  dimensions.outputBatch = numbers.getOutputBatchDimension();
  dimensions.outputFeature = numbers.getOutputFeatureDimension();
  dimensions.outputSpatial = numbers.getOutputSpatialDimensions().vec();
  ConvolutionWindow window;
  llvm::append_range(window.strides, op.windowStridesOrDefault());
  for (auto [low, high] : op.paddingOrDefault()) {
    window.paddingLow.push_back(low);
    window.paddingHigh.push_back(high);
  }
  llvm::append_range(window.lhsDilation, op.lhsDilationOrDefault());
  llvm::append_range(window.rhsDilation, op.rhsDilationOrDefault());
  llvm::append_range(window.reversal, op.windowReversalOrDefault());
  return single(convolution(operands[0], operands[1], dimensions, window,
                            static_cast<int64_t>(op.getFeatureGroupCount()),
                            static_cast<int64_t>(op.getBatchGroupCount()),
                            elementTypeOf(op.getResult().getType()), frame.kernels()));
}

void addContractionHandlers(InterpreterTable &table) {
  add<stablehlo::DotGeneralOp>(table, dot);
  add<stablehlo::ConvolutionOp>(table, convolve);
}

} // namespace drumlin::interpreter
