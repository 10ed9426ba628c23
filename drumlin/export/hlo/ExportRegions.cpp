#include "drumlin/export/hlo/ExportOperations.h"
#include "drumlin/export/hlo/ExportWindows.h"
#include "drumlin/export/hlo/ExportWriter.h"
#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/stablehlo/GatherOp.h"
#include "drumlin/ir/stablehlo/MapOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "drumlin/ir/stablehlo/ScatterOp.h"
#include "drumlin/ir/stablehlo/SelectAndScatterOp.h"
#include "drumlin/ir/stablehlo/SortOp.h"

using namespace mlir;

namespace drumlin::hlo {

// Writes an instruction that applies the computation of the operation's first region.
static void writeWithRegion(Writer &writer, Operation *op, StringRef opcode,
                            const std::string &attributes) {
  std::string computation = writer.scalarComputation(op->getRegion(0), "region");
  writer.write(op, opcode, writer.list(op->getOperands()),
               attributes + ", to_apply=" + computation);
}

//===-- gather and scatter --------------------------------------------------------------------===//

void writeGather(Writer &writer, Operation *op, StringRef opcode) {
  auto gather = cast<stablehlo::GatherOp>(op);
  stablehlo::GatherDimensionNumbersAttr dimensions = gather.getDimensionNumbers();
  writer.write(
      op, opcode, writer.list(op->getOperands()),
      ", offset_dims=" + braces(dimensions.getOffsetDims()) +
          ", collapsed_slice_dims=" + braces(dimensions.getCollapsedSliceDims()) +
          ", start_index_map=" + braces(dimensions.getStartIndexMap()) +
          numbers("operand_batching_dims", dimensions.getOperandBatchingDims()) +
          numbers("start_indices_batching_dims", dimensions.getStartIndicesBatchingDims()) +
          ", index_vector_dim=" + std::to_string(dimensions.getIndexVectorDim()) +
          ", slice_sizes=" + braces(gather.getSliceSizes()) +
          flag("indices_are_sorted", gather.getIndicesAreSorted()));
}

void writeScatter(Writer &writer, Operation *op, StringRef opcode) {
  auto scatter = cast<stablehlo::ScatterOp>(op);
  stablehlo::ScatterDimensionNumbersAttr dimensions = scatter.getScatterDimensionNumbers();
  writeWithRegion(
      writer, op, opcode,
      ", update_window_dims=" + braces(dimensions.getUpdateWindowDims()) +
          ", inserted_window_dims=" + braces(dimensions.getInsertedWindowDims()) +
          ", scatter_dims_to_operand_dims=" + braces(dimensions.getScatterDimsToOperandDims()) +
          numbers("input_batching_dims", dimensions.getInputBatchingDims()) +
          numbers("scatter_indices_batching_dims", dimensions.getScatterIndicesBatchingDims()) +
          ", index_vector_dim=" + std::to_string(dimensions.getIndexVectorDim()) +
          flag("indices_are_sorted", scatter.getIndicesAreSorted()) +
          flag("unique_indices", scatter.getUniqueIndices()));
}

//===-- reductions ----------------------------------------------------------------------------===//

void writeMap(Writer &writer, Operation *op, StringRef opcode) {
  writeWithRegion(writer, op, opcode,
                  ", dimensions=" + braces(cast<stablehlo::MapOp>(op).getDimensions()));
}

void writeReduce(Writer &writer, Operation *op, StringRef opcode) {
  writeWithRegion(writer, op, opcode,
                  ", dimensions=" + braces(cast<stablehlo::ReduceOp>(op).getDimensions()));
}

void writeReduceWindow(Writer &writer, Operation *op, StringRef opcode) {
  auto reduce = cast<stablehlo::ReduceWindowOp>(op);
  WindowTexts window;
  window.sizes.assign(reduce.getWindowDimensions().begin(), reduce.getWindowDimensions().end());
  window.strides = reduce.getWindowStrides().value_or(ArrayRef<int64_t>());
  window.padding = reduce.getPadding();
  window.baseDilations = reduce.getBaseDilations().value_or(ArrayRef<int64_t>());
  window.windowDilations = reduce.getWindowDilations().value_or(ArrayRef<int64_t>());
  writeWithRegion(writer, op, opcode, windowText(window));
}

void writeSelectAndScatter(Writer &writer, Operation *op, StringRef opcode) {
  auto scatter = cast<stablehlo::SelectAndScatterOp>(op);
  WindowTexts window;
  window.sizes = scatter.windowDimensionsOrDefault();
  window.strides = scatter.getWindowStrides().value_or(ArrayRef<int64_t>());
  window.padding = scatter.getPadding();
  std::string select = writer.scalarComputation(scatter.getSelect(), "select");
  std::string combine = writer.scalarComputation(scatter.getScatter(), "scatter");
  writer.write(op, opcode, writer.list(op->getOperands()),
               windowText(window) + ", select=" + select + ", scatter=" + combine);
}

void writeScan(Writer &writer, Operation *op, StringRef opcode) {
  auto scan = cast<chlo::ScanOp>(op);
  std::optional<bool> isAssociative = scan.getIsAssociative();
  writeWithRegion(
      writer, op, opcode,
      ", dimensions=" + braces(static_cast<int64_t>(scan.getDimension())) + ", num_carries=" +
          std::to_string(scan.getInits().size()) + flag("is_reverse", scan.getIsReverse()) +
          (isAssociative ? std::string(", is_associative=") + (*isAssociative ? "true" : "false")
                         : std::string()));
}

//===-- order ---------------------------------------------------------------------------------===//

void writeSort(Writer &writer, Operation *op, StringRef opcode) {
  auto sort = cast<stablehlo::SortOp>(op);
  writeWithRegion(writer, op, opcode,
                  ", dimensions=" + braces(sort.dimensionFromFront()) +
                      flag("is_stable", sort.getIsStable()));
}

void writeTopK(Writer &writer, Operation *op, StringRef opcode) {
  writer.write(op, opcode, writer.list(op->getOperands()),
               ", k=" + std::to_string(cast<chlo::TopKOp>(op).getK()) + ", largest=true");
}

} // namespace drumlin::hlo
