#include "drumlin/ir/stablehlo/DynamicReduceWindow.h"

#include "drumlin/ir/stablehlo/CustomCallOp.h"

using namespace mlir;

namespace drumlin::stablehlo {

std::optional<DynamicReduceWindow> DynamicReduceWindow::of(Operation *op) {
  constexpr unsigned attributes = 5;
  auto call = dyn_cast<stablehlo::CustomCallOp>(op);
  if (!call || call.getCallTargetName() != "stablehlo.dynamic_reduce_window" ||
      call.getCalledComputations().size() != 1) {
    return std::nullopt;
  }
  unsigned count = call.getNumResults();
  if (count == 0 || call.getNumOperands() != 2 * count + attributes) {
    return std::nullopt;
  }
  OperandRange operands = call.getInputs();
  auto rest = operands.drop_front(2 * count);
  auto rank = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type ? type.getRank() : -1;
  };
  auto elements = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.hasStaticShape() ? type.getNumElements() : -1;
  };
  int64_t dimensions = rank(operands.front());
  bool isWell = dimensions >= 0 && elements(rest[4]) == 2 * dimensions;
  for (unsigned i = 0; i < 4; ++i) {
    isWell &= elements(rest[i]) == dimensions;
  }
  for (auto [input, result] : llvm::zip(operands.take_front(count), call.getResults())) {
    isWell &= rank(input) == dimensions && rank(result) == dimensions;
  }
  if (!isWell) {
    return std::nullopt;
  }
  return DynamicReduceWindow{operands.take_front(count),
                             operands.slice(count, count),
                             rest[0],
                             rest[1],
                             rest[2],
                             rest[3],
                             rest[4],
                             cast<FlatSymbolRefAttr>(call.getCalledComputations()[0])};
}

bool DynamicReduceWindow::isReducer(func::FuncOp function) const {
  if (!function || function.isExternal() || function.getNumArguments() != 2 * inputs.size() ||
      function.getNumResults() != inputs.size()) {
    return false;
  }
  auto isElementOf = [&](Type type, size_t number) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getRank() == 0 &&
           tensor.getElementType() == getElementTypeOrSelf(inputs[number].getType());
  };
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (!isElementOf(type, i % inputs.size())) {
      return false;
    }
  }
  return llvm::all_of(llvm::enumerate(function.getResultTypes()),
                      [&](auto each) { return isElementOf(each.value(), each.index()); });
}

} // namespace drumlin::stablehlo
