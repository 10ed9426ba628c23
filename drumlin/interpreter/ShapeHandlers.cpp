// Operations that move or create elements, and gather.
#include "drumlin/interpreter/Frame.h"
#include "drumlin/interpreter/GatherDimensionNumbers.h"
#include "drumlin/interpreter/Handlers.h"
#include "drumlin/interpreter/ValueTypes.h"
#include "drumlin/interpreter/kernels/EvaluateElementwise.h"
#include "drumlin/interpreter/kernels/EvaluateShape.h"
#include "drumlin/ir/stablehlo/BitcastConvertOp.h"
#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/ConcatenateOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/DynamicSliceOp.h"
#include "drumlin/ir/stablehlo/DynamicUpdateSliceOp.h"
#include "drumlin/ir/stablehlo/GatherOp.h"
#include "drumlin/ir/stablehlo/IotaOp.h"
#include "drumlin/ir/stablehlo/PadOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/ReverseOp.h"
#include "drumlin/ir/stablehlo/SliceOp.h"
#include "drumlin/ir/stablehlo/TransposeOp.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"

namespace drumlin::interpreter {

using Tensors = std::vector<Tensor>;

static Shape resultShape(mlir::Operation *op) { return Shape(shapeOf(op->getResult(0))); }

static ElementType resultType(mlir::Operation *op) {
  return *heldTypeOf(op->getResult(0).getType());
}

// Returns the result shape. If the result's type leaves a size open, this is the size of the
// operand's dimension that is mapped to it.
static Shape broadcastShape(stablehlo::BroadcastInDimOp op, const Tensor &operand) {
  Shape shape = resultShape(op);
  for (auto [d, target] : llvm::enumerate(op.getBroadcastDimensions())) {
    int64_t &size = shape[static_cast<size_t>(target)];
    size = mlir::ShapedType::isDynamic(size) ? operand.dim(static_cast<int64_t>(d)) : size;
  }
  return shape;
}

// Returns the result shape; a change of element width adds or removes an innermost dimension.
static Shape bitcastShape(stablehlo::BitcastConvertOp op, const Tensor &operand) {
  Shape shape = resultShape(op);
  for (size_t d = 0; d < shape.size() && d < operand.shape().size(); ++d) {
    shape[d] = mlir::ShapedType::isDynamic(shape[d]) ? operand.shape()[d] : shape[d];
  }
  return shape;
}

// Reshapes the operand. The result's type may leave one size open, which follows from the number of
// elements.
static Result<Tensor> reshapeTo(stablehlo::ReshapeOp op, const Tensor &operand) {
  Shape shape = resultShape(op);
  int64_t known = 1;
  int64_t *open = nullptr;
  for (int64_t &size : shape) {
    if (mlir::ShapedType::isDynamic(size)) {
      open = &size;
    } else {
      known *= size;
    }
  }
  if (open) {
    *open = known == 0 ? 0 : operand.elements() / known;
  }
  if (elementCount(shape) != operand.elements()) {
    return diagnose(errors::RuntimeShapeMismatch,
                    str(operand) + " can't be reshaped to a type of " +
                        std::to_string(elementCount(shape).value_or(0)) + " elements");
  }
  return reshape(operand, shape);
}

// Returns a constant. Quantized constants are written as their stored integers, with or without a
// sign.
static Result<Tensors> constantOf(stablehlo::ConstantOp op, Tensors &, Frame &frame) {
  Result<Tensor> value = frame.constant(op.getValue());
  ElementType type = resultType(op);
  if (!value || value->type() == type) {
    return single(std::move(value));
  }
  return single(bitcastConvert(*value, type, value->shape(), frame.kernels()));
}

static Result<Tensors> gatherSlices(stablehlo::GatherOp op, Tensors &operands, Frame &frame) {
  GatherDimensions dimensions = gatherDimensionsOf(op.getDimensionNumbers());
  return single(gather(operands[0], operands[1], dimensions, op.getSliceSizes(), frame.kernels()));
}

// Slices the operand. Along a dimension of dynamic size, the slice ends at the operand's last valid
// element at the latest.
static Result<Tensors> sliceOf(stablehlo::SliceOp op, Tensors &operands, Frame &frame) {
  std::vector<int64_t> start = op.getStartIndices().vec(), limit = op.getLimitIndices().vec();
  for (size_t d = 0; d < start.size(); ++d) {
    limit[d] = std::min(limit[d], operands[0].shape()[d]);
    start[d] = std::min(start[d], limit[d]);
  }
  return single(slice(operands[0], start, limit, op.getStrides(), frame.kernels()));
}

// Updates a slice. If the operand is the beginning of a buffer, the update may reach beyond the
// operand's valid elements.
static Result<Tensors> updateSlice(stablehlo::DynamicUpdateSliceOp, Tensors &operands,
                                   Frame &frame) {
  std::span<const Tensor> starts = std::span<const Tensor>(operands).subspan(2);
  std::optional<Tensor> buffer = frame.buffers().bufferOf(operands[0]);
  if (!buffer) {
    return single(dynamicUpdateSlice(operands[0], operands[1], starts, frame.kernels()));
  }
  Result<Tensor> updated = dynamicUpdateSlice(*buffer, operands[1], starts, frame.kernels());
  return single(updated ? frame.beginningOf(*updated, operands[0].shape()) : updated);
}

void addShapeHandlers(InterpreterTable &table) {
  add<stablehlo::ConstantOp>(table, constantOf);
  add<stablehlo::IotaOp>(table, [](stablehlo::IotaOp op, Tensors &, Frame &frame) {
    return single(iota(computedTypeOf(op.getType()), resultShape(op),
                       static_cast<int64_t>(op.getIotaDimension()), frame.kernels()));
  });
  add<stablehlo::BitcastConvertOp>(
      table, [](stablehlo::BitcastConvertOp op, Tensors &operands, Frame &frame) {
        return single(bitcastConvert(operands[0], resultType(op), bitcastShape(op, operands[0]),
                                     frame.kernels()));
      });
  add<stablehlo::BroadcastInDimOp>(
      table, [](stablehlo::BroadcastInDimOp op, Tensors &operands, Frame &frame) {
        return single(broadcastInDim(operands[0], op.getBroadcastDimensions(),
                                     broadcastShape(op, operands[0]), frame.kernels()));
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
  add<stablehlo::DynamicUpdateSliceOp>(table, updateSlice);
  add<stablehlo::PadOp>(table, [](stablehlo::PadOp op, Tensors &operands, Frame &frame) {
    return single(pad(operands[0], operands[1], op.getEdgePaddingLow(), op.getEdgePaddingHigh(),
                      op.getInteriorPadding(), frame.kernels()));
  });
  add<stablehlo::ReshapeOp>(table, [](stablehlo::ReshapeOp op, Tensors &operands, Frame &) {
    return single(reshapeTo(op, operands[0]));
  });
  add<stablehlo::ReverseOp>(table, [](stablehlo::ReverseOp op, Tensors &operands, Frame &frame) {
    return single(reverse(operands[0], op.getDimensions(), frame.kernels()));
  });
  add<stablehlo::SliceOp>(table, sliceOf);
  add<stablehlo::TransposeOp>(
      table, [](stablehlo::TransposeOp op, Tensors &operands, Frame &frame) {
        return single(transpose(operands[0], op.getPermutation(), frame.kernels()));
      });
  add<stablehlo::GatherOp>(table, gatherSlices);
}

} // namespace drumlin::interpreter
