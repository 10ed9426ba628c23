// Decomposes map: applies its function to full tensors if the function is elementwise, or else in a
// loop over the elements.
#include "drumlin/ir/stablehlo/MapOp.h"
#include "drumlin/transforms/simplify/decompose/Decompose.h"
#include "drumlin/transforms/simplify/decompose/Lifting.h"

using namespace mlir;

namespace drumlin {

Replacements decomposeMap(Operation *op) {
  auto map = dyn_cast<stablehlo::MapOp>(op);
  if (!map) {
    return std::nullopt;
  }
  TensorBuilder b(op);
  TensorShape shape = TensorShape::of(map.getResult());
  if (shape.elements().is(0)) {
    return SmallVector<Value>{b.zero(TensorBuilder::elementOf(map.getResult()), shape)};
  }
  return applyToElements(b, map.getComputation().front(), map.getInputs(), shape);
}

} // namespace drumlin
