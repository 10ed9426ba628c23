// Conversions between floating-point numbers and quantized elements.
#include "drumlin/interpreter/Frame.h"
#include "drumlin/interpreter/Handlers.h"
#include "drumlin/interpreter/ValueTypes.h"
#include "drumlin/ir/stablehlo/UniformDequantizeOp.h"
#include "drumlin/ir/stablehlo/UniformQuantizeOp.h"

namespace drumlin::interpreter {

using Tensors = std::vector<Tensor>;

// Quantizes floating-point numbers, or requantizes quantized elements via the numbers they express.
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

} // namespace drumlin::interpreter
