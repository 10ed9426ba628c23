#include "drumlin/ir/plan/ArenaSlots.h"

#include "drumlin/ir/stablehlo/StablehloTypes.h"

using namespace mlir;

namespace drumlin {

std::vector<SizeExpression> arenaSlotsOf(func::FuncOp function) {
  auto slots = function->getAttrOfType<sizes::SizesAttr>(arenaSlotsAttribute);
  return slots ? slots.getSizes() : std::vector<SizeExpression>();
}

SizeExpression symbolicBytesOf(RankedTensorType type) {
  SizeExpression bytes(storageBytes(elementTypeOf(type)));
  for (const SizeExpression &size : symbolicSizesOf(type)) {
    bytes = bytes * size;
  }
  return bytes;
}

int64_t nominalSlotBytes(func::FuncOp function) {
  SizeExpression::Values values = nominalValues(sizeSymbolsOf(function));
  int64_t bytes = 0;
  for (const SizeExpression &slot : arenaSlotsOf(function)) {
    bytes += slot.evaluate(values).value_or(0);
  }
  return bytes;
}

} // namespace drumlin
