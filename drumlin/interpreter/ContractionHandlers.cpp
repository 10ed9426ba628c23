#include "drumlin/interpreter/Frame.h"
#include "drumlin/interpreter/Handlers.h"
#include "drumlin/interpreter/ValueTypes.h"
#include "drumlin/interpreter/kernels/EvaluateConvolution.h"
#include "drumlin/interpreter/kernels/EvaluateDot.h"
#include "drumlin/interpreter/kernels/EvaluateShape.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/DotOp.h"
#include "drumlin/ir/stablehlo/DynamicConvOp.h"

namespace drumlin::interpreter {

using Tensors = std::vector<Tensor>;

// The precision and the algorithm that a program asks for are upper bounds on the error of a dot.
// The oracle's sums satisfy each of these bounds.
static Result<Tensors> dot(stablehlo::DotGeneralOp op, Tensors &operands, Frame &frame) {
  stablehlo::DotDimensionNumbersAttr numbers = op.getDotDimensionNumbers();
  DotDimensions dimensions;
  dimensions.lhsBatching = numbers.getLhsBatchingDimensions().vec();
  dimensions.rhsBatching = numbers.getRhsBatchingDimensions().vec();
  dimensions.lhsContracting = numbers.getLhsContractingDimensions().vec();
  dimensions.rhsContracting = numbers.getRhsContractingDimensions().vec();
  return single(dotGeneral(operands[0], operands[1], dimensions,
                           computedTypeOf(op.getResult().getType()), frame.kernels()));
}

static DotDimensions dimensionsOfDot(stablehlo::DotOp op) {
  DotDimensions dimensions;
  dimensions.lhsContracting = {op.getLhs().getType().getRank() - 1};
  dimensions.rhsContracting = {0};
  return dimensions;
}

// Runs `convolution` or `dynamic_conv` with the given padding.
template <typename Op>
static Result<Tensors> convolve(Op op, Tensors &operands,
                                llvm::ArrayRef<std::pair<int64_t, int64_t>> padding, Frame &frame) {
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
  for (auto [low, high] : padding) {
    window.paddingLow.push_back(low);
    window.paddingHigh.push_back(high);
  }
  llvm::append_range(window.lhsDilation, op.lhsDilationOrDefault());
  llvm::append_range(window.rhsDilation, op.rhsDilationOrDefault());
  llvm::append_range(window.reversal, op.windowReversalOrDefault());
  return single(convolution(operands[0], operands[1], dimensions, window,
                            static_cast<int64_t>(op.getFeatureGroupCount()),
                            static_cast<int64_t>(op.getBatchGroupCount()),
                            computedTypeOf(op.getResult().getType()), frame.kernels()));
}

static Result<Tensors> convolveDynamic(stablehlo::DynamicConvOp op, Tensors &operands,
                                       Frame &frame) {
  llvm::SmallVector<std::pair<int64_t, int64_t>> padding;
  for (int64_t i = 0; i + 1 < operands[2].elements(); i += 2) {
    padding.push_back({integerAt(operands[2], i), integerAt(operands[2], i + 1)});
  }
  return convolve(op, operands, padding, frame);
}

void addContractionHandlers(InterpreterTable &table) {
  add<stablehlo::DotGeneralOp>(table, dot);
  add<stablehlo::DotOp>(table, [](stablehlo::DotOp op, Tensors &operands, Frame &frame) {
    return single(dotGeneral(operands[0], operands[1], dimensionsOfDot(op),
                             computedTypeOf(op.getResult().getType()), frame.kernels()));
  });
  add<stablehlo::ConvolutionOp>(table,
                                [](stablehlo::ConvolutionOp op, Tensors &operands, Frame &frame) {
                                  return convolve(op, operands, op.paddingOrDefault(), frame);
                                });
  add<stablehlo::DynamicConvOp>(table, convolveDynamic);
}

} // namespace drumlin::interpreter
