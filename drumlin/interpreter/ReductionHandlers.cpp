// Operations that take a function of scalars: reductions, windows, scatters and sorts.
#include "drumlin/interpreter/Frame.h"
#include "drumlin/interpreter/Handlers.h"
#include "drumlin/interpreter/kernels/EvaluateGather.h"
#include "drumlin/interpreter/kernels/EvaluateReduce.h"
#include "drumlin/interpreter/kernels/EvaluateSort.h"
#include "drumlin/interpreter/kernels/EvaluateWindow.h"
#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "drumlin/ir/stablehlo/ScatterOp.h"
#include "drumlin/ir/stablehlo/SelectAndScatterOp.h"
#include "drumlin/ir/stablehlo/SortOp.h"

namespace drumlin::interpreter {

using Tensors = std::vector<Tensor>;

static std::span<const Tensor> part(const Tensors &operands, size_t first, size_t count) {
  return std::span<const Tensor>(operands).subspan(first, count);
}

static Result<Tensors> reduceDimensions(stablehlo::ReduceOp op, Tensors &operands, Frame &frame) {
  size_t count = op.getInputs().size();
  return reduce(part(operands, 0, count), part(operands, count, count), op.getDimensions(),
                frame.reductionBody(op.getBody()), frame.kernels());
}

static Result<Tensors> reduceWindows(stablehlo::ReduceWindowOp op, Tensors &operands,
                                     Frame &frame) {
  size_t count = op.getInputs().size();
  ReductionWindow window;
  window.dimensions = op.getWindowDimensions().vec();
  llvm::append_range(window.strides, op.windowStridesOrDefault());
  llvm::append_range(window.baseDilations, op.baseDilationsOrDefault());
  llvm::append_range(window.windowDilations, op.windowDilationsOrDefault());
  for (auto [low, high] : op.paddingOrDefault()) {
    window.paddingLow.push_back(low);
    window.paddingHigh.push_back(high);
  }
  return reduceWindow(part(operands, 0, count), part(operands, count, count), window,
                      frame.reductionBody(op.getBody()), frame.kernels());
}

static Result<Tensors> selectThenScatter(stablehlo::SelectAndScatterOp op, Tensors &operands,
                                         Frame &frame) {
  ReductionWindow window;
  llvm::append_range(window.dimensions, op.windowDimensionsOrDefault());
  llvm::append_range(window.strides, op.windowStridesOrDefault());
  window.baseDilations.assign(window.dimensions.size(), 1);
  window.windowDilations = window.baseDilations;
  for (auto [low, high] : op.paddingOrDefault()) {
    window.paddingLow.push_back(low);
    window.paddingHigh.push_back(high);
  }
  return single(selectAndScatter(operands[0], operands[1], operands[2], window,
                                 frame.comparisonBody(op.getSelect()),
                                 frame.reductionBody(op.getScatter()), frame.kernels()));
}

static Result<Tensors> scatterUpdates(stablehlo::ScatterOp op, Tensors &operands, Frame &frame) {
  size_t count = op.getInputs().size();
  stablehlo::ScatterDimensionNumbersAttr numbers = op.getScatterDimensionNumbers();
  ScatterDimensions dimensions;
  dimensions.updateWindowDims = numbers.getUpdateWindowDims().vec();
  dimensions.insertedWindowDims = numbers.getInsertedWindowDims().vec();
  dimensions.inputBatchingDims = numbers.getInputBatchingDims().vec();
  dimensions.scatterIndicesBatchingDims = numbers.getScatterIndicesBatchingDims().vec();
  dimensions.scatterDimsToOperandDims = numbers.getScatterDimsToOperandDims().vec();
  dimensions.indexVectorDim = numbers.getIndexVectorDim();
  return scatter(part(operands, 0, count), operands[count], part(operands, count + 1, count),
                 dimensions, frame.reductionBody(op.getUpdateComputation()), frame.kernels());
}

void addReductionHandlers(InterpreterTable &table) {
  add<stablehlo::ReduceOp>(table, reduceDimensions);
  add<stablehlo::ReduceWindowOp>(table, reduceWindows);
  add<stablehlo::SelectAndScatterOp>(table, selectThenScatter);
  add<stablehlo::ScatterOp>(table, scatterUpdates);
  add<stablehlo::SortOp>(table, [](stablehlo::SortOp op, Tensors &operands, Frame &frame) {
    return sort(operands, op.dimensionFromFront(), frame.comparisonBody(op.getComparator()),
                frame.kernels());
  });
  add<chlo::TopKOp>(table, [](chlo::TopKOp op, Tensors &operands, Frame &frame) {
    return topK(operands[0], static_cast<int64_t>(op.getK()), frame.kernels());
  });
}

} // namespace drumlin::interpreter
