#include "drumlin/ir/plan/BufferAssignment.h"

#include "drumlin/ir/plan/BitcastOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace drumlin {

size_t weightCount(Operation *function) {
  auto names = function->getAttrOfType<ArrayAttr>(weightsAttribute);
  return names ? names.size() : 0;
}

Value storageOf(Value value) {
  while (auto bitcast = value.getDefiningOp<plan::BitcastOp>()) {
    value = bitcast.getOperand();
  }
  return value;
}

stablehlo::WhileOp loopOfArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument ? dyn_cast<stablehlo::WhileOp>(argument.getOwner()->getParentOp())
                  : stablehlo::WhileOp();
}

std::optional<int64_t> donatedTo(BlockArgument argument) {
  auto function = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function) {
    return std::nullopt;
  }
  auto result =
      function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), "tf.aliasing_output");
  return result ? std::optional<int64_t>(result.getInt()) : std::nullopt;
}

plan::BufferAttr bufferOf(Value value) {
  value = storageOf(value);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (stablehlo::WhileOp loop = loopOfArgument(value)) {
      return cast<plan::BufferAttr>(
          loop->getAttrOfType<ArrayAttr>(buffersAttribute)[argument.getArgNumber()]);
    }
    Block *entry = argument.getOwner();
    size_t first = entry->getNumArguments() - weightCount(entry->getParentOp());
    size_t number = argument.getArgNumber();
    bool isWeight = number >= first;
    return plan::BufferAttr::get(value.getContext(),
                                 isWeight ? plan::BufferKind::weight : plan::BufferKind::argument,
                                 static_cast<int64_t>(isWeight ? number - first : number), 0,
                                 *byteSizeOf(cast<RankedTensorType>(value.getType())));
  }
  auto result = cast<OpResult>(value);
  return cast<plan::BufferAttr>(
      result.getOwner()->getAttrOfType<ArrayAttr>(buffersAttribute)[result.getResultNumber()]);
}

} // namespace drumlin
