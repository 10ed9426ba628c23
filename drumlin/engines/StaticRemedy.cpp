#include "drumlin/engines/StaticRemedy.h"

#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/DynamicSliceOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

#include <optional>

using namespace mlir;

namespace drumlin {

// Maximum number of operations that are traced. No real weight is computed with more operations.
static constexpr size_t maxOperations = 4096;

namespace {
// How loops are traced. With `First`, a carried value depends on its initial value only; with
// `All`, also on the value that each trip passes to the next trip.
enum class Trips { First, All };
} // namespace

// If `argument` is a value carried by a loop, inserts the values that it depends on and returns
// true. Otherwise returns false.
static bool insertCarried(BlockArgument argument, Trips trips, llvm::SetVector<Value> &reached) {
  auto loop = dyn_cast<stablehlo::WhileOp>(argument.getOwner()->getParentOp());
  if (!loop || argument.getOwner() != &loop.getBody().front()) {
    return false;
  }
  unsigned number = argument.getArgNumber();
  reached.insert(loop->getOperand(number));
  if (trips == Trips::All) {
    reached.insert(argument.getOwner()->getTerminator()->getOperand(number));
  }
  return true;
}

// Returns the numbers of the entry's arguments that a value depends on; nullopt if it depends on an
// operation with regions, or on too many operations.
static std::optional<std::vector<unsigned>> argumentsOf(Value value, Trips trips) {
  llvm::SetVector<Value> reached;
  std::vector<unsigned> numbers;
  reached.insert(value);
  for (size_t i = 0; i < reached.size(); ++i) {
    Operation *op = reached[i].getDefiningOp();
    auto argument = dyn_cast<BlockArgument>(reached[i]);
    if (op) {
      reached.insert(op->operand_begin(), op->operand_end());
    } else if (isa<func::FuncOp>(argument.getOwner()->getParentOp())) {
      numbers.push_back(argument.getArgNumber());
    } else if (!insertCarried(argument, trips, reached)) {
      return std::nullopt;
    }
    if ((op && op->getNumRegions() > 0) || reached.size() > maxOperations) {
      return std::nullopt;
    }
  }
  llvm::sort(numbers);
  return numbers;
}

// Returns whether a use only moves a value's elements or carries the value through a loop. If so,
// inserts the value that the use produces.
static bool insertMoved(OpOperand &use, llvm::SetVector<Value> &reached) {
  Operation *user = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (auto loop = dyn_cast<stablehlo::WhileOp>(user)) {
    reached.insert(loop.getBody().front().getArgument(number));
    return true;
  }
  auto loop = dyn_cast<stablehlo::WhileOp>(user->getParentOp());
  if (loop && user == loop.getBody().front().getTerminator()) {
    return use.get() == loop.getBody().front().getArgument(number);
  }
  if (number != 0 || !(isDataMovement(user) || isa<stablehlo::DynamicSliceOp>(user))) {
    return false;
  }
  reached.insert(user->getResult(0));
  return true;
}

// Returns whether an argument has integers that are used as integers: tokens, positions, indices.
static bool isCounted(BlockArgument argument) {
  if (!getElementTypeOrSelf(argument.getType()).isIntOrIndex()) {
    return false;
  }
  llvm::SetVector<Value> reached;
  reached.insert(argument);
  for (size_t i = 0; i < reached.size(); ++i) {
    for (OpOperand &use : reached[i].getUses()) {
      if (!isa<stablehlo::ConvertOp>(use.getOwner()) && !insertMoved(use, reached)) {
        return true;
      }
    }
  }
  return false;
}

// Returns whether an argument may be a weight of the dot or convolution, that is, the same at every
// call.
static bool mayBeStatic(BlockArgument argument, ArrayRef<unsigned> other) {
  return !llvm::is_contained(other, argument.getArgNumber()) && !donatedTo(argument) &&
         !isCounted(argument);
}

std::string argumentRemedy(Operation *product, unsigned operand, BlockArgument argument) {
  std::optional<std::vector<unsigned>> other;
  if (product->getNumOperands() > 1) {
    other = argumentsOf(product->getOperand(1 - operand), Trips::First);
  }
  std::string remedy = "pass it with the contracted dimension first";
  if (mayBeStatic(argument, other.value_or(std::vector<unsigned>()))) {
    remedy += " or, if it is the same at every call, make it static (`--static-args " +
              argumentText(argument).option + "`)";
  }
  return remedy;
}

std::string staticRemedy(Operation *product, unsigned operand) {
  std::optional<std::vector<unsigned>> made = argumentsOf(product->getOperand(operand), Trips::All);
  std::optional<std::vector<unsigned>> other =
      argumentsOf(product->getOperand(1 - operand), Trips::First);
  auto function = product->getParentOfType<func::FuncOp>();
  if (!made || !other || made->empty()) {
    return "";
  }
  std::vector<std::string> options, names;
  for (unsigned number : *made) {
    BlockArgument argument = function.getArgument(number);
    if (!mayBeStatic(argument, *other)) {
      return "";
    }
    ArgumentText text = argumentText(argument);
    options.push_back(text.option);
    names.push_back(text.text.substr(text.text.find(' ') + 1));
  }
  std::string list = llvm::join(options, ",");
  if (names.size() == 1) {
    return "make argument " + names.front() + " static (`--static-args " + list + "`)";
  }
  std::string last = names.back();
  names.pop_back();
  return "make arguments " + llvm::join(names, ", ") + " and " + last + " static (`--static-args " +
         list + "`)";
}

} // namespace drumlin
