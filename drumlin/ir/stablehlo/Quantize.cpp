// Verifiers of conversions to and from quantized elements.
#include "drumlin/ir/stablehlo/Assembly.h"
#include "drumlin/ir/stablehlo/Constraints.h"
#include "drumlin/ir/stablehlo/QuantizeOps.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Quantize.cpp.inc"

namespace drumlin::stablehlo {

void StablehloDialect::addQuantizeOperations() {
  addOperations<
#define GET_OP_LIST
#include "drumlin/ir/stablehlo/Quantize.cpp.inc"
      >();
}

static LogicalResult checkExpressedType(Operation *op, StringRef label, Type given, Type expected) {
  if (given != expected) {
    return op->emitOpError() << "expects a result of expressed type " << expected << ", got "
                             << given << " (" << label << ")";
  }
  return success();
}

LogicalResult UniformQuantizeOp::verify() {
  // uniform_quantize_c2; the trait checks uniform_quantize_c1.
  return checkExpressedType(*this, "uniform_quantize_c2", expressedTypeOf(getType()),
                            expressedTypeOf(getOperand().getType()));
}

LogicalResult UniformDequantizeOp::verify() {
  // uniform_dequantize_c2; the trait checks uniform_dequantize_c1.
  return checkExpressedType(*this, "uniform_dequantize_c2", getType().getElementType(),
                            expressedTypeOf(getOperand().getType()));
}

} // namespace drumlin::stablehlo
