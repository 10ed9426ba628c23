// Verifiers of random number operations.
#include "drumlin/ir/stablehlo/Assembly.h"
#include "drumlin/ir/stablehlo/Constraints.h"
#include "drumlin/ir/stablehlo/RandomOps.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Random.cpp.inc"

namespace drumlin::stablehlo {

void StablehloDialect::addRandomOperations() {
  addOperations<
#define GET_OP_LIST
#include "drumlin/ir/stablehlo/Random.cpp.inc"
      >();
}

LogicalResult RngOp::verify() {
  auto emit = [&] { return emitOpError(); };
  // rng_c1
  if (failed(checkElementType(emit, "rng_c1", "b", getB().getType(), getA().getType())) ||
      failed(checkElementType(emit, "rng_c1", "the result", getType(), getA().getType()))) {
    return failure();
  }
  // rng_c2
  Type element = getElementTypeOrSelf(getA().getType());
  if (getRngDistribution() == RngDistribution::NORMAL && !isa<FloatType>(element)) {
    return emitOpError() << "expects floating-point numbers for NORMAL, got " << element
                         << " (rng_c2)";
  }
  // rng_c3
  std::optional<SmallVector<int64_t>> shape = constantIntegers(getShape());
  SmallVector<int64_t> unknown(getType().getRank(), ShapedType::kDynamic);
  return success(
      succeeded(checkShape(emit, "rng_c3", "shape", shapeOf(getShape()), {getType().getRank()})) &&
      succeeded(checkShape(emit, "rng_c3", "the result", getType().getShape(),
                           shape ? ArrayRef<int64_t>(*shape) : ArrayRef<int64_t>(unknown))));
}

LogicalResult RngBitGeneratorOp::verify() {
  auto emit = [&] { return emitOpError(); };
  RankedTensorType state = getInitialState().getType();
  // rng_bit_generator_c1
  if (failed(checkType(emit, "rng_bit_generator_c1", "output_state", getOutputState().getType(),
                       state))) {
    return failure();
  }
  if (!getOutput().getType().hasStaticShape()) {
    return emitOpError() << "expects an output of static shape, got " << getOutput().getType()
                         << " (rng_bit_generator_c1)";
  }
  // rng_bit_generator_c2. The algorithms use 64-bit words.
  int64_t size = state.getRank() == 1 ? state.getDimSize(0) : ShapedType::kDynamic;
  if (isDynamic(size)) {
    return success();
  }
  bool fits = getRngAlgorithm() == RngAlgorithm::DEFAULT || size == 2 ||
              (getRngAlgorithm() == RngAlgorithm::PHILOX && size == 3);
  if (!fits) {
    return emitOpError() << "expects a state of 2"
                         << (getRngAlgorithm() == RngAlgorithm::PHILOX ? " or 3" : "")
                         << " elements for " << stringifyRngAlgorithm(getRngAlgorithm()) << ", got "
                         << size << " (rng_bit_generator_c2)";
  }
  return success();
}

} // namespace drumlin::stablehlo
