// Operations whose result sizes are given by operands.
#include "drumlin/interpreter/Frame.h"
#include "drumlin/interpreter/GatherDimensionNumbers.h"
#include "drumlin/interpreter/Handlers.h"
#include "drumlin/interpreter/ValueTypes.h"
#include "drumlin/interpreter/kernels/EvaluateShape.h"
#include "drumlin/ir/stablehlo/DynamicBroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/DynamicGatherOp.h"
#include "drumlin/ir/stablehlo/DynamicIotaOp.h"
#include "drumlin/ir/stablehlo/DynamicPadOp.h"
#include "drumlin/ir/stablehlo/DynamicReshapeOp.h"
#include "drumlin/ir/stablehlo/GetDimensionSizeOp.h"
#include "drumlin/ir/stablehlo/RealDynamicSliceOp.h"
#include "drumlin/ir/stablehlo/SetDimensionSizeOp.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"

namespace drumlin::interpreter {

using Tensors = std::vector<Tensor>;

static std::vector<int64_t> integersOf(const Tensor &tensor) {
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    numbers.push_back(integerAt(tensor, i));
  }
  return numbers;
}

static std::string str(const std::vector<int64_t> &numbers) {
  std::string text = "[";
  for (int64_t number : numbers) {
    text += (text.size() == 1 ? "" : ", ") + std::to_string(number);
  }
  return text + "]";
}

static Diagnostic mismatch(const std::string &message) {
  return diagnose(errors::RuntimeShapeMismatch, message);
}

static Result<Tensors> broadcastDynamic(stablehlo::DynamicBroadcastInDimOp op, Tensors &operands,
                                        Frame &frame) {
  Shape shape = integersOf(operands[1]);
  // dynamic_broadcast_in_dim_c5
  for (auto [d, target] : llvm::enumerate(op.getBroadcastDimensions())) {
    int64_t size = operands[0].dim(static_cast<int64_t>(d));
    if (size != 1 && size != shape[static_cast<size_t>(target)]) {
      return mismatch(str(operands[0]) + " can't be broadcast to " + str(shape) + " along " +
                      str(op.getBroadcastDimensions().vec()) + " (dynamic_broadcast_in_dim_c5)");
    }
  }
  return single(broadcastInDim(operands[0], op.getBroadcastDimensions(), shape, frame.kernels()));
}

static Result<Tensors> gatherDynamic(stablehlo::DynamicGatherOp op, Tensors &operands,
                                     Frame &frame) {
  std::vector<int64_t> sizes = integersOf(operands[2]);
  GatherDimensions dimensions = gatherDimensionsOf(op.getDimensionNumbers());
  // Checks the constraints dynamic_gather_c8, dynamic_gather_c11 and dynamic_gather_c12.
  for (size_t d = 0; d < sizes.size(); ++d) {
    auto dimension = static_cast<int64_t>(d);
    bool isCollapsed = llvm::is_contained(dimensions.collapsedSliceDims, dimension) ||
                       llvm::is_contained(dimensions.operandBatchingDims, dimension);
    if (sizes[d] < 0 || sizes[d] > operands[0].dim(dimension) || (isCollapsed && sizes[d] > 1)) {
      return mismatch("slices of sizes " + str(sizes) + " don't fit into " + str(operands[0]) +
                      " (dynamic_gather_c12)");
    }
  }
  return single(gather(operands[0], operands[1], dimensions, sizes, frame.kernels()));
}

static Result<Tensors> padDynamic(stablehlo::DynamicPadOp, Tensors &operands, Frame &frame) {
  std::vector<int64_t> low = integersOf(operands[2]), high = integersOf(operands[3]),
                       interior = integersOf(operands[4]);
  // dynamic_pad_c3, dynamic_pad_c4
  for (size_t d = 0; d < low.size(); ++d) {
    int64_t size = operands[0].dim(static_cast<int64_t>(d)), between = 0;
    bool fits = interior[d] >= 0 &&
                !__builtin_mul_overflow(std::max<int64_t>(size - 1, 0), interior[d], &between) &&
                !__builtin_add_overflow(size, between, &size) &&
                !__builtin_add_overflow(size, low[d], &size) &&
                !__builtin_add_overflow(size, high[d], &size) && size >= 0;
    if (!fits) {
      return mismatch(str(operands[0]) + " can't be padded with " + str(low) + ", " + str(high) +
                      " and " + str(interior) + " (dynamic_pad_c4)");
    }
  }
  return single(pad(operands[0], operands[1], low, high, interior, frame.kernels()));
}

static Result<Tensors> reshapeDynamic(stablehlo::DynamicReshapeOp, Tensors &operands, Frame &) {
  Shape shape = integersOf(operands[1]);
  // dynamic_reshape_c2
  if (elementCount(shape) != operands[0].elements()) {
    return mismatch(str(operands[0]) + " has no " + str(shape) + " elements (dynamic_reshape_c2)");
  }
  return single(reshape(operands[0], shape));
}

static Result<Tensors> sliceDynamic(stablehlo::RealDynamicSliceOp, Tensors &operands,
                                    Frame &frame) {
  std::vector<int64_t> start = integersOf(operands[1]), limit = integersOf(operands[2]),
                       strides = integersOf(operands[3]);
  for (size_t d = 0; d < start.size(); ++d) {
    bool fits = start[d] >= 0 && start[d] <= limit[d] &&
                limit[d] <= operands[0].dim(static_cast<int64_t>(d)) && strides[d] >= 1;
    if (!fits) {
      return mismatch("a slice from " + str(start) + " to " + str(limit) + " by " + str(strides) +
                      " is not inside of " + str(operands[0]));
    }
  }
  return single(slice(operands[0], start, limit, strides, frame.kernels()));
}

static Result<Tensors> sizeOf(stablehlo::GetDimensionSizeOp op, Tensors &operands, Frame &frame) {
  Result<Tensor> size = allocate(ElementType::SI32, {}, frame.kernels());
  if (size) {
    *size->as<int32_t>() =
        static_cast<int32_t>(operands[0].dim(static_cast<int64_t>(op.getDimension())));
  }
  return single(std::move(size));
}

// Pads a dimension with zeros at its end, up to the dimension's bound.
static Result<Tensor> grown(const Tensor &tensor, size_t dimension, int64_t bound, Frame &frame) {
  std::vector<int64_t> none(tensor.shape().size(), 0), behind = none;
  behind[dimension] = bound - tensor.shape()[dimension];
  Result<Tensor> zero = allocate(tensor.type(), {}, frame.kernels());
  return zero ? pad(tensor, *zero, none, behind, none, frame.kernels()) : zero;
}

// Sets the number of valid elements of a dimension, within its bound.
static Result<Tensors> resize(stablehlo::SetDimensionSizeOp op, Tensors &operands, Frame &frame) {
  int64_t size = integerAt(operands[1], 0);
  auto dimension = static_cast<size_t>(op.getDimension());
  Tensor buffer = frame.buffers().bufferOf(operands[0]).value_or(operands[0]);
  int64_t bound = stablehlo::boundOf(mlir::cast<mlir::RankedTensorType>(op.getOperand().getType()),
                                     static_cast<int64_t>(dimension));
  if (size > buffer.shape()[dimension] && size <= bound) {
    Result<Tensor> made = grown(buffer, dimension, bound, frame);
    if (!made) {
      return made.error();
    }
    buffer = std::move(*made);
  }
  Shape limit = operands[0].shape();
  if (size < 0 || size > buffer.shape()[dimension]) {
    return mismatch("dimension " + std::to_string(dimension) + " of " + str(operands[0]) +
                    " can't be given the size " + std::to_string(size));
  }
  limit[dimension] = size;
  return single(frame.beginningOf(buffer, limit));
}

void addDynamicHandlers(InterpreterTable &table) {
  add<stablehlo::DynamicBroadcastInDimOp>(table, broadcastDynamic);
  add<stablehlo::DynamicGatherOp>(table, gatherDynamic);
  add<stablehlo::DynamicIotaOp>(
      table, [](stablehlo::DynamicIotaOp op, Tensors &operands, Frame &frame) -> Result<Tensors> {
        Shape shape = integersOf(operands[0]);
        if (!elementCount(shape)) {
          return mismatch("no tensor can have the shape " + str(shape) + " (dynamic_iota_c2)");
        }
        return single(iota(computedTypeOf(op.getType()), shape,
                           static_cast<int64_t>(op.getIotaDimension()), frame.kernels()));
      });
  add<stablehlo::DynamicPadOp>(table, padDynamic);
  add<stablehlo::DynamicReshapeOp>(table, reshapeDynamic);
  add<stablehlo::RealDynamicSliceOp>(table, sliceDynamic);
  add<stablehlo::GetDimensionSizeOp>(table, sizeOf);
  add<stablehlo::SetDimensionSizeOp>(table, resize);
}

} // namespace drumlin::interpreter
