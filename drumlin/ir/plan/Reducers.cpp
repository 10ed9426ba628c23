#include "drumlin/ir/plan/Reducers.h"

#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin {

std::optional<Reducer> knownReducer(Region &body) {
  if (!body.hasOneBlock()) {
    return std::nullopt;
  }
  Block &block = body.front();
  if (block.getNumArguments() != 2 || !llvm::hasNItems(block, 2)) {
    return std::nullopt;
  }
  Operation &op = block.front();
  Operation *terminator = block.getTerminator();
  if (op.getNumOperands() != 2 || op.getNumResults() != 1 || terminator->getNumOperands() != 1 ||
      terminator->getOperand(0) != op.getResult(0)) {
    return std::nullopt;
  }
  Value first = block.getArgument(0), second = block.getArgument(1);
  bool inOrder = op.getOperand(0) == first && op.getOperand(1) == second;
  bool swapped = op.getOperand(0) == second && op.getOperand(1) == first;
  if ((!inOrder && !swapped) || isa<ComplexType>(getElementTypeOrSelf(first.getType()))) {
    return std::nullopt;
  }
  return llvm::TypeSwitch<Operation *, std::optional<Reducer>>(&op)
      .Case<stablehlo::AddOp>([](auto) { return Reducer::Add; })
      .Case<stablehlo::MulOp>([](auto) { return Reducer::Multiply; })
      .Case<stablehlo::MaxOp>([](auto) { return Reducer::Maximum; })
      .Case<stablehlo::MinOp>([](auto) { return Reducer::Minimum; })
      .Case<stablehlo::AndOp>([](auto) { return Reducer::And; })
      .Case<stablehlo::OrOp>([](auto) { return Reducer::Or; })
      .Case<stablehlo::XorOp>([](auto) { return Reducer::Xor; })
      .Default([](auto) { return std::nullopt; });
}

} // namespace drumlin
