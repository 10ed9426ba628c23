// Registers the operations, types and attributes of the dialect.
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/ConstantPrinting.h"
#include "drumlin/ir/stablehlo/HeldElements.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;

#include "drumlin/ir/stablehlo/StablehloDialect.cpp.inc"

namespace drumlin::stablehlo {

namespace {
// Makes all calls between functions of StableHLO legal to inline: no operation refers to the
// function that contains it.
struct StablehloInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Operation *, bool) const final { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void StablehloDialect::initialize() {
  addElementwiseOperations();
  addConstantOperations();
  addDotOperations();
  addConvolutionOperations();
  addReduceOperations();
  addWindowOperations();
  addShapeOperations();
  addGatherOperations();
  addControlOperations();
  addSortOperations();
  addDynamicOperations();
  addLinearAlgebraOperations();
  addBatchNormOperations();
  addRandomOperations();
  addQuantizeOperations();
  addLegacyOperations();
  addCollectiveOperations();
  addCommunicationOperations();
  addCallOperations();
  registerTypes();
  registerAttributes();
  addInterfaces<ConstantPrinting, HeldElements, StablehloInliner>();
}

Operation *StablehloDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                                 Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type) {
    return nullptr;
  }
  return ConstantOp::create(builder, loc, type, elements);
}

} // namespace drumlin::stablehlo
