// Random bits and numbers.
#include "drumlin/interpreter/Frame.h"
#include "drumlin/interpreter/Handlers.h"
#include "drumlin/interpreter/ValueTypes.h"
#include "drumlin/interpreter/kernels/EvaluateRandom.h"
#include "drumlin/interpreter/kernels/EvaluateShape.h"
#include "drumlin/ir/stablehlo/RngBitGeneratorOp.h"
#include "drumlin/ir/stablehlo/RngOp.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"

namespace drumlin::interpreter {

using Tensors = std::vector<Tensor>;

static Result<Tensors> randomNumbers(stablehlo::RngOp op, Tensors &operands, Frame &frame) {
  Shape shape;
  for (int64_t i = 0; i < operands[2].elements(); ++i) {
    shape.push_back(integerAt(operands[2], i));
  }
  if (!elementCount(shape)) {
    return diagnose(errors::RuntimeShapeMismatch,
                    "the shape of the random numbers is negative or too large (rng_c3)");
  }
  bool isNormal = op.getRngDistribution() == stablehlo::RngDistribution::NORMAL;
  auto draw = isNormal ? normalNumbers : uniformNumbers;
  return single(draw(operands[0], operands[1], shape, frame.nextDraw(), frame.kernels()));
}

// The default generator is Philox, as XLA's on CPUs.
static Result<Tensors> randomWords(stablehlo::RngBitGeneratorOp op, Tensors &operands,
                                   Frame &frame) {
  if (operands[0].rank() != 1) {
    return diagnose(errors::RuntimeShapeMismatch,
                    "a state of random bits must have one dimension, got " +
                        std::to_string(operands[0].rank()) + " (rng_bit_generator_i2)");
  }
  bool isThreefry = op.getRngAlgorithm() == stablehlo::RngAlgorithm::THREE_FRY;
  auto output = llvm::cast<mlir::RankedTensorType>(op.getOutput().getType());
  Result<RandomBitsResult> result =
      randomBits(isThreefry ? RandomBits::Threefry : RandomBits::Philox, operands[0],
                 elementTypeOf(output), Shape(output.getShape()), frame.kernels());
  if (!result) {
    return result.error();
  }
  return Tensors{result->state, result->output};
}

void addRandomHandlers(InterpreterTable &table) {
  add<stablehlo::RngOp>(table, randomNumbers);
  add<stablehlo::RngBitGeneratorOp>(table, randomWords);
}

} // namespace drumlin::interpreter
