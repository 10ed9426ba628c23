#include "drumlin/listing/fold/FunctionFinder.h"

#include "drumlin/interpreter/kernels/Compare.h"
#include "drumlin/interpreter/kernels/Elementwise.h"
#include "drumlin/support/ScalarFunctions.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace drumlin::listing {

// The longest spelling of a function that is looked at; gelu with erf as a polynomial has fewer.
static constexpr size_t maxInstructions = 64;
// Values that the function of one instruction is looked for from: in a long chain all are such.
static constexpr size_t maxCandidates = 8;

std::string mnemonicOf(const Instruction &instruction) {
  std::string name(baseName(instruction.opcode));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

static bool isOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
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

static Tensor tensorOf(std::span<const double> numbers) {
  Tensor tensor(ElementType::F64, drumlin::Shape({static_cast<int64_t>(numbers.size())}));
  std::copy(numbers.begin(), numbers.end(), tensor.as<double>());
  return tensor;
}

static std::optional<Tensor> valueOf(Result<Tensor> result) {
  return result ? std::optional<Tensor>(std::move(*result)) : std::nullopt;
}

static std::optional<Tensor> compareValues(const Instruction &instruction, const Tensor &lhs,
                                           const Tensor &rhs) {
  using interpreter::ComparisonDirection;
  static constexpr std::pair<std::string_view, ComparisonDirection> directions[] = {
      {"EQ", ComparisonDirection::EQ}, {"NE", ComparisonDirection::NE},
      {"GE", ComparisonDirection::GE}, {"GT", ComparisonDirection::GT},
      {"LE", ComparisonDirection::LE}, {"LT", ComparisonDirection::LT}};
  std::string_view direction = attributeText(instruction, "direction");
  direction = direction.empty() ? attributeText(instruction, "comparison_direction") : direction;
  for (const auto &[name, value] : directions) {
    if (name == direction) {
      return valueOf(interpreter::compare(value, interpreter::ComparisonType::Natural, lhs, rhs));
    }
  }
  return std::nullopt;
}

// A constant of one number, as often as there are points.
static std::optional<Tensor> constantValue(const Instruction &constant, size_t points) {
  char *end = nullptr;
  double number = std::strtod(constant.argument.c_str(), &end);
  if (constant.argument.empty() || *end != 0 || !isFloat(constant.shape)) {
    return std::nullopt;
  }
  return tensorOf(std::vector<double>(points, number));
}

static std::optional<Tensor> evaluate(const Instruction &instruction,
                                      const std::vector<Tensor> &operands, size_t points) {
  std::string name = mnemonicOf(instruction);
  if (name == "constant") {
    return constantValue(instruction, points);
  }
  if (movesElements(instruction) || isOperation(instruction, "reduce_precision", 1)) {
    return operands[0];
  }
  if (isOperation(instruction, "convert", 1)) {
    return isFloat(instruction.shape) ? valueOf(interpreter::convert(operands[0], ElementType::F64))
                                      : std::nullopt;
  }
  if (name == "compare" && operands.size() == 2) {
    return compareValues(instruction, operands[0], operands[1]);
  }
  if (name == "select" && operands.size() == 3) {
    return valueOf(interpreter::select(operands[0], operands[1], operands[2]));
  }
  if (name == "clamp" && operands.size() == 3) {
    return valueOf(interpreter::clamp(operands[0], operands[1], operands[2]));
  }
  if (operands.size() == 1) {
    auto operation = interpreter::unaryOperation(name);
    return operation ? valueOf(interpreter::unary(*operation, operands[0])) : std::nullopt;
  }
  auto operation = operands.size() == 2 ? interpreter::binaryOperation(name) : std::nullopt;
  return operation ? valueOf(interpreter::binary(*operation, operands[0], operands[1]))
                   : std::nullopt;
}

// Whether it is computed from each operand's element at one place.
static bool isPointwise(const Instruction &instruction) {
  std::string name = mnemonicOf(instruction);
  return movesElements(instruction) ||
         isOneOf(name, {"convert", "compare", "select", "clamp", "reduce_precision"}) ||
         (instruction.operands.size() == 1 && interpreter::unaryOperation(name)) ||
         (instruction.operands.size() == 2 && interpreter::binaryOperation(name));
}

// What leads from one instruction to another, by position.
using Cone = std::map<size_t, const Instruction *>;

static std::string_view nameOfCone(const Cone &cone, const Instruction &from) {
  auto sample = [&](std::span<const double> points) -> std::optional<std::vector<double>> {
    std::unordered_map<const Instruction *, Tensor> values;
    values.emplace(&from, tensorOf(points));
    const Instruction *last = nullptr;
    for (const auto &[position, instruction] : cone) {
      std::vector<Tensor> operands;
      for (const Operand &operand : instruction->operands) {
        operands.push_back(values.at(operand.instruction));
      }
      std::optional<Tensor> value = evaluate(*instruction, operands, points.size());
      if (!value) {
        return std::nullopt;
      }
      values.emplace(instruction, std::move(*value));
      last = instruction;
    }
    const Tensor &result = values.at(last);
    if (result.type() != ElementType::F64) {
      return std::nullopt;
    }
    return std::vector<double>(result.as<double>(), result.as<double>() + points.size());
  };
  return nameOfActivation(sample);
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
  Cone cone, open; // `open`: what the cone reads
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
      // Constants, and what says where they lie, belong to the cone.
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
    // Of the same function of several, the nearest: what lies between only moves or converts.
    if (!name.empty() && (!found || found->name != name)) {
      found = {name, from};
    }
  }
  return found;
}

} // namespace drumlin::listing
