// Operations that move elements or make them from nothing, and gather.
#include "drumlin/interpreter/Frame.h"
#include "drumlin/interpreter/Handlers.h"
#include "drumlin/interpreter/kernels/Elementwise.h"
#include "drumlin/interpreter/kernels/Gather.h"
#include "drumlin/interpreter/kernels/Shape.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"

namespace drumlin::interpreter {

using Tensors = std::vector<Tensor>;

static Shape resultShape(mlir::Operation *op) { return Shape(shapeOf(op->getResult(0))); }

static ElementType resultType(mlir::Operation *op) {
  return elementTypeOf(op->getResult(0).getType());
}

static Result<Tensors> gatherSlices(stablehlo::GatherOp op, Tensors &operands, Frame &frame) {
  stablehlo::GatherDimensionNumbersAttr numbers = op.getDimensionNumbers();
  GatherDimensions dimensions;
  dimensions.offsetDims = numbers.getOffsetDims().vec();
  dimensions.collapsedSliceDims = numbers.getCollapsedSliceDims().vec();
  dimensions.operandBatchingDims = numbers.getOperandBatchingDims().vec();
  dimensions.startIndicesBatchingDims = numbers.getStartIndicesBatchingDims().vec();
  dimensions.startIndexMap = numbers.getStartIndexMap().vec();
  dimensions.indexVectorDim = numbers.getIndexVectorDim();
  return single(gather(operands[0], operands[1], dimensions, op.getSliceSizes(), frame.kernels()));
}

void addShapeHandlers(InterpreterTable &table) {
  add<stablehlo::ConstantOp>(table, [](stablehlo::ConstantOp op, Tensors &, Frame &frame) {
    return single(frame.constant(op.getValue()));
  });
  add<stablehlo::IotaOp>(table, [](stablehlo::IotaOp op, Tensors &, Frame &frame) {
    return single(iota(resultType(op), resultShape(op), static_cast<int64_t>(op.getIotaDimension()),
                       frame.kernels()));
  });
  add<stablehlo::BitcastConvertOp>(table, [](stablehlo::BitcastConvertOp op, Tensors &operands,
                                             Frame &frame) {
    return single(bitcastConvert(operands[0], resultType(op), resultShape(op), frame.kernels()));
  });
  add<stablehlo::BroadcastInDimOp>(
      table, [](stablehlo::BroadcastInDimOp op, Tensors &operands, Frame &frame) {
        return single(broadcastInDim(operands[0], op.getBroadcastDimensions(), resultShape(op),
                                     frame.kernels()));
      });
  add<stablehlo::ConcatenateOp>(table, [](stablehlo::ConcatenateOp op, Tensors &operands,
                                          Frame &frame) {
    return single(concatenate(operands, static_cast<int64_t>(op.getDimension()), frame.kernels()));
  });
  add<stablehlo::DynamicSliceOp>(
      table, [](stablehlo::DynamicSliceOp op, Tensors &operands, Frame &frame) {
        return single(dynamicSlice(operands[0], std::span<const Tensor>(operands).subspan(1),
                                   op.getSliceSizes(), frame.kernels()));
      });
  add<stablehlo::DynamicUpdateSliceOp>(table, [](stablehlo::DynamicUpdateSliceOp, Tensors &operands,
                                                 Frame &frame) {
    return single(dynamicUpdateSlice(
        operands[0], operands[1], std::span<const Tensor>(operands).subspan(2), frame.kernels()));
  });
  add<stablehlo::PadOp>(table, [](stablehlo::PadOp op, Tensors &operands, Frame &frame) {
    return single(pad(operands[0], operands[1], op.getEdgePaddingLow(), op.getEdgePaddingHigh(),
                      op.getInteriorPadding(), frame.kernels()));
  });
  add<stablehlo::ReshapeOp>(table, [](stablehlo::ReshapeOp op, Tensors &operands, Frame &) {
    return single(reshape(operands[0], resultShape(op)));
  });
  add<stablehlo::ReverseOp>(table, [](stablehlo::ReverseOp op, Tensors &operands, Frame &frame) {
    return single(reverse(operands[0], op.getDimensions(), frame.kernels()));
  });
  add<stablehlo::SliceOp>(table, [](stablehlo::SliceOp op, Tensors &operands, Frame &frame) {
    return single(slice(operands[0], op.getStartIndices(), op.getLimitIndices(), op.getStrides(),
                        frame.kernels()));
  });
  add<stablehlo::TransposeOp>(
      table, [](stablehlo::TransposeOp op, Tensors &operands, Frame &frame) {
        return single(transpose(operands[0], op.getPermutation(), frame.kernels()));
      });
  add<stablehlo::GatherOp>(table, gatherSlices);
}

} // namespace drumlin::interpreter
