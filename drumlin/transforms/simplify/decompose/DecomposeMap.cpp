// map: its body on whole tensors where all of it is elementwise; else a loop over the elements.
#include "drumlin/transforms/simplify/decompose/Decompose.h"
#include "drumlin/transforms/simplify/decompose/Lifting.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace drumlin {

// The body for one element after the other.
static Value mapByElements(TensorBuilder &b, stablehlo::MapOp op) {
  int64_t count = elementsOf(op.getResult());
  Type index = b.signedType(64);
  SmallVector<Value> inputs =
      llvm::map_to_vector(op.getInputs(), [&](Value input) { return b.reshape(input, {count}); });
  Value result = b.zero(TensorBuilder::elementOf(op.getResult()), {count});
  auto step = [&](TensorBuilder &, Value i, ValueRange carried) {
    IRMapping mapping;
    for (auto [argument, input] : llvm::zip_equal(op.getComputation().getArguments(), inputs)) {
      mapping.map(argument, b.sliceAt(input, 0, i));
    }
    Block &body = op.getComputation().front();
    for (Operation &inner : body.without_terminator()) {
      b.operations().clone(inner, mapping);
    }
    Value element = mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
    return TensorBuilder::Carried{b.updateAt(carried[0], element, 0, i)};
  };
  Value limit = b.integer(index, static_cast<uint64_t>(count));
  Value mapped = b.countedLoop(limit, result, step).front();
  return b.reshape(mapped, shapeOf(op.getResult()));
}

Replacements decomposeMap(Operation *op) {
  auto map = dyn_cast<stablehlo::MapOp>(op);
  if (!map) {
    return std::nullopt;
  }
  TensorBuilder b(op);
  if (elementsOf(map.getResult()) == 0) {
    return SmallVector<Value>{
        b.zero(TensorBuilder::elementOf(map.getResult()), shapeOf(map.getResult()))};
  }
  Block &body = map.getComputation().front();
  if (!isElementwise(body)) {
    return SmallVector<Value>{mapByElements(b, map)};
  }
  return lift(b, body, map.getInputs(), shapeOf(map.getResult()));
}

} // namespace drumlin
