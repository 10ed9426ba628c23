#include "drumlin/listing/fold/FunctionFinder.h"

#include "drumlin/hlo/ElementTypeNames.h"
#include "drumlin/support/FloatFormats.h"
#include "drumlin/support/ScalarFunctions.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace drumlin::listing {

// Maximum number of instructions of a recognized function; gelu with erf as a polynomial has fewer.
static constexpr size_t maxInstructions = 64;
// Maximum number of values considered as the argument of a function, since in a long chain all
// values are candidates.
static constexpr size_t maxCandidates = 8;

std::string mnemonicOf(const Instruction &instruction) {
  std::string name(baseName(instruction.opcode));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

bool isOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool movesElements(const Instruction &instruction) {
  return instruction.operands.size() == 1 &&
         isOneOf(mnemonicOf(instruction),
                 {"broadcast", "broadcast_in_dim", "reshape", "bitcast", "copy", "transpose"});
}

bool isOperation(const Instruction &instruction, std::string_view mnemonic, size_t operands) {
  return instruction.operands.size() == operands && mnemonicOf(instruction) == mnemonic;
}

bool isConstant(const Instruction &instruction) { return mnemonicOf(instruction) == "constant"; }

std::string_view attributeText(const Instruction &instruction, std::string_view name) {
  for (const Attribute &attribute : instruction.attributes) {
    if (attribute.name == name) {
      return attribute.text;
    }
  }
  return {};
}

static bool isFloat(const Shape &shape) {
  return shape.element.starts_with('f') || shape.element.starts_with("bf");
}

// Returns the value of a constant with a single number.
static ScalarExpression constantValue(const Instruction &constant) {
  char *end = nullptr;
  double number = std::strtod(constant.argument.c_str(), &end);
  const std::string &element = constant.shape.element;
  std::optional<ElementType> type = elementTypeFromName(element);
  type = type ? type : hlo::elementTypeFromHloName(element);
  if (constant.argument.empty() || *end != 0 || !type || !drumlin::isFloat(*type)) {
    return ScalarExpression::unknown();
  }
  // The text has enough digits to identify the number in its type.
  return ScalarExpression::constant(roundTo(*type, number),
                                    static_cast<int>(info(*type).mantissaBits) + 1);
}

static ScalarExpression expressionOf(const Instruction &instruction,
                                     std::span<const ScalarExpression> operands) {
  std::string name = mnemonicOf(instruction);
  if (name == "constant") {
    return constantValue(instruction);
  }
  if (movesElements(instruction) || isOperation(instruction, "reduce_precision", 1)) {
    return operands[0];
  }
  if (isOperation(instruction, "convert", 1)) {
    return isFloat(instruction.shape) ? operands[0] : ScalarExpression::unknown();
  }
  if (name == "compare" && operands.size() == 2) {
    std::string_view direction = attributeText(instruction, "direction");
    direction = direction.empty() ? attributeText(instruction, "comparison_direction") : direction;
    return ScalarExpression::comparison(direction, operands[0], operands[1]);
  }
  return ScalarExpression::operation(name, operands);
}

// Whether each result element depends on only one element of each operand.
static bool isPointwise(const Instruction &instruction) {
  std::string name = mnemonicOf(instruction);
  return movesElements(instruction) || isOneOf(name, {"convert", "compare", "reduce_precision"}) ||
         ScalarExpression::hasOperation(name, instruction.operands.size());
}

// The instructions on the paths from one instruction to another, keyed by position.
using Cone = std::map<size_t, const Instruction *>;

static std::string_view nameOfCone(const Cone &cone, const Instruction &from) {
  std::unordered_map<const Instruction *, ScalarExpression> made;
  made.emplace(&from, ScalarExpression::x());
  const Instruction *last = nullptr;
  for (const auto &[position, instruction] : cone) {
    std::vector<ScalarExpression> operands;
    for (const Operand &operand : instruction->operands) {
      operands.push_back(made.at(operand.instruction));
    }
    ScalarExpression expression = expressionOf(*instruction, operands);
    if (!expression.isKnown()) {
      return {};
    }
    made.emplace(instruction, std::move(expression));
    last = instruction;
  }
  return nameOfActivation(made.at(last));
}

FunctionFinder::FunctionFinder(const Computation &computation) {
  for (const std::unique_ptr<Instruction> &instruction : computation.instructions) {
    positions.emplace(instruction.get(), positions.size());
  }
}

std::optional<FoundFunction> FunctionFinder::find(const Instruction &to) const {
  if (!isPointwise(to) || movesElements(to) || mnemonicOf(to) == "convert" || !isFloat(to.shape)) {
    return std::nullopt;
  }
  std::optional<FoundFunction> found;
  Cone cone, open; // `open`: values that the cone reads
  open.emplace(positionOf(to), &to);
  for (size_t candidates = 0; !open.empty() && cone.size() < maxInstructions;) {
    const Instruction *next = open.rbegin()->second;
    if (!isPointwise(*next) || next->results != 1) {
      break;
    }
    cone.insert(*open.rbegin());
    open.erase(std::prev(open.end()));
    for (const Operand &operand : next->operands) {
      const Instruction *read = operand.instruction;
      if (operand.result >= 0 || !positions.contains(read)) {
        return found;
      }
      // Constants belong to the cone, with the operations that broadcast or reshape them.
      std::vector<const Instruction *> chain = {read};
      while (movesElements(*chain.back()) || isOperation(*chain.back(), "convert", 1)) {
        chain.push_back(chain.back()->operands[0].instruction);
        if (!positions.contains(chain.back())) {
          return found;
        }
      }
      if (!isConstant(*chain.back())) {
        open.emplace(positionOf(*read), read);
        continue;
      }
      for (const Instruction *each : chain) {
        cone.emplace(positionOf(*each), each);
      }
    }
    if (open.size() != 1) {
      continue;
    }
    if (++candidates > maxCandidates) {
      break;
    }
    const Instruction *from = open.begin()->second;
    std::string_view name = nameOfCone(cone, *from);
    // If the result is the same function of several values, keeps the value nearest to the result,
    // since only data movement and conversions are between these values.
    if (!name.empty() && (!found || found->name != name)) {
      found = {name, from};
    }
  }
  return found;
}

} // namespace drumlin::listing
