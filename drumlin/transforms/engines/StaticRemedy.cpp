#include "drumlin/transforms/engines/StaticRemedy.h"

#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/Entry.h"
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

// Whether a name is read as one by a list of static arguments, and not as a number, a range or a
// pattern.
static bool isWord(StringRef name) {
  return !name.empty() && (llvm::isAlpha(name.front()) || name.front() == '_') &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
}

ArgumentText argumentText(BlockArgument argument) {
  std::string name = dottedName(argumentName(argument));
  // `arg3` is what arguments without a name are called, by their numbers.
  StringRef rest = name;
  unsigned counted = 0;
  bool isNumbered = rest.consume_front("arg") && !rest.getAsInteger(10, counted);
  bool isOwn = isWord(name) && !isNumbered &&
               llvm::count_if(argument.getOwner()->getArguments(), [&](BlockArgument each) {
                 return dottedName(argumentName(each)) == name;
               }) == 1;
  if (isOwn) {
    return {name, "argument `" + name + "`"};
  }
  std::string number = std::to_string(programNumber(argument));
  return {number, "argument " + number};
}

// Whether an argument may be a weight of the product: the same at every call.
static bool mayBeStatic(BlockArgument argument, ArrayRef<unsigned> other) {
  return !llvm::is_contained(other, argument.getArgNumber()) && !donatedTo(argument) &&
         !isCounted(argument);
}

std::string argumentRemedy(Operation *product, unsigned operand, BlockArgument argument) {
  std::optional<std::vector<unsigned>> other;
  if (product->getNumOperands() > 1) {
    other = argumentsOf(product->getOperand(1 - operand));
  }
  std::string remedy = "pass it with the contracted dimension first";
  if (mayBeStatic(argument, other.value_or(std::vector<unsigned>()))) {
    remedy += " or, if it is the same at every call, make it static (`--static-args " +
              argumentText(argument).option + "`)";
  }
  return remedy;
}

std::string staticRemedy(Operation *product, unsigned operand) {
  std::optional<std::vector<unsigned>> made = argumentsOf(product->getOperand(operand));
  std::optional<std::vector<unsigned>> other = argumentsOf(product->getOperand(1 - operand));
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
