#include "drumlin/transforms/engines/StaticRemedy.h"

#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

#include <optional>

using namespace mlir;

namespace drumlin {

// More than make any weight.
static constexpr size_t maxOperations = 4096;

// Returns the numbers of the entry's arguments that a value depends on; nothing if it depends on a
// region's arguments, or on too many operations.
static std::optional<std::vector<unsigned>> argumentsOf(Value value) {
  llvm::SetVector<Value> reached;
  std::vector<unsigned> numbers;
  reached.insert(value);
  for (size_t i = 0; i < reached.size(); ++i) {
    Operation *op = reached[i].getDefiningOp();
    if (op) {
      reached.insert(op->operand_begin(), op->operand_end());
    } else if (isa<func::FuncOp>(cast<BlockArgument>(reached[i]).getOwner()->getParentOp())) {
      numbers.push_back(cast<BlockArgument>(reached[i]).getArgNumber());
    } else {
      return std::nullopt;
    }
    if ((op && op->getNumRegions() > 0) || reached.size() > maxOperations) {
      return std::nullopt;
    }
  }
  llvm::sort(numbers);
  return numbers;
}

// Returns whether an argument has integers that are read as such: tokens, positions, indices.
static bool isCounted(BlockArgument argument) {
  return getElementTypeOrSelf(argument.getType()).isIntOrIndex() &&
         !llvm::all_of(argument.getUsers(),
                       [](Operation *user) { return isa<stablehlo::ConvertOp>(user); });
}

std::string staticRemedy(Operation *product, unsigned operand) {
  std::optional<std::vector<unsigned>> made = argumentsOf(product->getOperand(operand));
  std::optional<std::vector<unsigned>> other = argumentsOf(product->getOperand(1 - operand));
  auto function = product->getParentOfType<func::FuncOp>();
  if (!made || !other || made->empty()) {
    return "";
  }
  std::vector<std::string> numbers;
  for (unsigned number : *made) {
    BlockArgument argument = function.getArgument(number);
    if (llvm::is_contained(*other, number) || donatedTo(argument) || isCounted(argument)) {
      return "";
    }
    numbers.push_back(std::to_string(number));
  }
  std::string list = llvm::join(numbers, ",");
  if (numbers.size() == 1) {
    return "make argument " + list + " static (`--static-args " + list + "`)";
  }
  std::string last = numbers.back();
  numbers.pop_back();
  return "make arguments " + llvm::join(numbers, ", ") + " and " + last +
         " static (`--static-args " + list + "`)";
}

} // namespace drumlin
