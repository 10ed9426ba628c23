#include "drumlin/hlo/OperandRules.h"

#include "drumlin/support/NearestName.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"

#include <algorithm>

namespace drumlin::hlo {

static constexpr uint8_t any = OperandRule::any;

static constexpr OperandRule rules[] = {
#define DRUMLIN_OPCODE(name, least, most, shapes, inference)                                       \
  {name, least, most, ShapeRule::shapes, InferenceRule::inference},
#include "drumlin/hlo/Opcodes.def"
};

static constexpr std::string_view equations[] = {
#define DRUMLIN_SHAPES(Name, equation) equation,
#include "drumlin/hlo/Opcodes.def"
};

static_assert(std::is_sorted(std::begin(rules), std::end(rules),
                             [](const OperandRule &a, const OperandRule &b) {
                               return a.opcode < b.opcode;
                             }),
              "the table must be sorted by opcode for binary search");

std::span<const OperandRule> operandRules() { return rules; }

const OperandRule *findOperandRule(std::string_view opcode) {
  const OperandRule *found = std::lower_bound(
      std::begin(rules), std::end(rules), opcode,
      [](const OperandRule &rule, std::string_view opcode) { return rule.opcode < opcode; });
  return found != std::end(rules) && found->opcode == opcode ? found : nullptr;
}

std::string_view equationOf(ShapeRule shapes) { return equations[static_cast<size_t>(shapes)]; }

//===-- opcodes -------------------------------------------------------------------------------===//

// Returns the three most similar opcodes, as "`a`, `b` or `c`". An opcode that begins with the
// given text, such as `exponential` for `exp`, counts as one edit away.
static std::string nearOpcodes(std::string_view opcode) {
  constexpr size_t maxNamed = 3;
  opcode = opcode.substr(0, 64); // no opcode has more characters
  std::vector<std::pair<size_t, std::string_view>> ranked;
  for (const OperandRule &rule : rules) {
    ranked.emplace_back(rule.opcode.starts_with(opcode) ? 1 : editDistance(opcode, rule.opcode),
                        rule.opcode);
  }
  std::partial_sort(ranked.begin(), ranked.begin() + maxNamed, ranked.end());
  std::string text;
  for (size_t i = 0; i < maxNamed; ++i) {
    text += i == 0 ? "" : i + 1 == maxNamed ? " or " : ", ";
    text.append("`").append(ranked[i].second).append("`");
  }
  return text;
}

Status checkOpcode(std::string_view opcode, const std::string &place) {
  std::string_view operation = opcode;
  for (std::string_view step : {"-start", "-update", "-done"}) {
    if (opcode.ends_with(step)) {
      operation.remove_suffix(step.size());
    }
  }
  if (findOperandRule(opcode) || findOperandRule(operation)) {
    return Done{};
  }
  return diagnose(errors::HloNameUnknown, "HLO has no opcode `" + std::string(opcode) + "`", place,
                  "did you mean " + nearOpcodes(opcode) + "? A `custom-call` may have any target");
}

//===-- shapes --------------------------------------------------------------------------------===//

using Shapes = std::vector<const Shape *>;

static bool agree(const Dimension &a, const Dimension &b) {
  return a.dynamic || b.dynamic || a.size == b.size;
}

static bool haveSameDimensions(const Shape &a, const Shape &b) {
  return isArray(a) && isArray(b) &&
         std::equal(a.dimensions.begin(), a.dimensions.end(), b.dimensions.begin(),
                    b.dimensions.end(), agree);
}

static bool haveSameElements(const Shape &a, const Shape &b) {
  auto isFloat = [](std::string_view name) {
    return name.starts_with("f") || name.starts_with("bf");
  };
  return a.element == b.element || (isFloat(a.element) && isFloat(b.element));
}

// Whether two shapes are equal, ignoring layouts.
static bool isSame(const Shape &a, const Shape &b) {
  if (isArray(a) && isArray(b)) {
    return haveSameDimensions(a, b) && haveSameElements(a, b);
  }
  return a.kind == b.kind && std::equal(a.elements.begin(), a.elements.end(), b.elements.begin(),
                                        b.elements.end(), isSame);
}

static bool isScalar(const Shape &shape) { return isArray(shape) && shape.dimensions.empty(); }

// Returns an array with the element type of `shape` and the given dimensions.
static Shape withDimensions(const Shape &shape, List<Dimension> dimensions) {
  Shape other;
  other.element = shape.element;
  other.dimensions = std::move(dimensions);
  return other;
}

// Returns an attribute's numbers; nullopt if the attribute is missing, or a number isn't a
// dimension of the array `of`.
static std::optional<std::vector<int64_t>>
dimensionsIn(const Instruction &instruction, std::string_view attribute, const Shape &of) {
  const Value *value = instruction.find(attribute);
  std::optional<std::vector<int64_t>> numbers = value ? value->integers() : std::nullopt;
  auto rank = static_cast<int64_t>(of.dimensions.size());
  bool isRight = numbers && isArray(of) &&
                 std::all_of(numbers->begin(), numbers->end(),
                             [&](int64_t number) { return number >= 0 && number < rank; });
  return isRight ? numbers : std::nullopt;
}

static bool contains(const std::vector<int64_t> &numbers, size_t number) {
  return std::find(numbers.begin(), numbers.end(), static_cast<int64_t>(number)) != numbers.end();
}

static bool checkReshape(const Shape &result, const Shape &operand) {
  auto isDynamic = [](const Dimension &each) { return each.dynamic; };
  auto count = [](const Shape &shape) {
    __int128 count = 1;
    for (const Dimension &dimension : shape.dimensions) {
      count *= dimension.size;
      count = std::min<__int128>(count, INT64_MAX); // saturates: no memory holds so many elements
    }
    return count;
  };
  return isArray(result) && isArray(operand) && haveSameElements(result, operand) &&
         (std::any_of(result.dimensions.begin(), result.dimensions.end(), isDynamic) ||
          std::any_of(operand.dimensions.begin(), operand.dimensions.end(), isDynamic) ||
          count(result) == count(operand));
}

static bool checkBroadcast(const Instruction &instruction, const Shape &result,
                           const Shape &operand) {
  if (!instruction.find("dimensions")) {
    return isScalar(operand) && isArray(result) && haveSameElements(result, operand);
  }
  auto dimensions = dimensionsIn(instruction, "dimensions", result);
  if (!dimensions || !isArray(operand) || dimensions->size() != operand.dimensions.size()) {
    return false;
  }
  for (size_t i = 0; i < dimensions->size(); ++i) {
    auto at = static_cast<size_t>((*dimensions)[i]);
    if (!agree(operand.dimensions[i], result.dimensions[at])) {
      return false;
    }
  }
  return haveSameElements(result, operand);
}

static bool checkTranspose(const Instruction &instruction, const Shape &result,
                           const Shape &operand) {
  auto dimensions = dimensionsIn(instruction, "dimensions", operand);
  if (!dimensions || dimensions->size() != operand.dimensions.size()) {
    return false;
  }
  List<Dimension> permuted;
  for (size_t i = 0; i < operand.dimensions.size(); ++i) {
    if (!contains(*dimensions, i)) {
      return false;
    }
    permuted.push_back(operand.dimensions[static_cast<size_t>((*dimensions)[i])]);
  }
  return isSame(result, withDimensions(operand, std::move(permuted)));
}

static bool checkConcatenate(const Instruction &instruction, const Shape &result,
                             const Shapes &operands) {
  auto dimensions = dimensionsIn(instruction, "dimensions", result);
  if (!dimensions || dimensions->size() != 1) {
    return false;
  }
  auto along = static_cast<size_t>((*dimensions)[0]);
  Dimension total;
  for (const Shape *operand : operands) {
    if (!isArray(*operand) || operand->dimensions.size() != result.dimensions.size()) {
      return false;
    }
    Shape other = *operand;
    total.size += other.dimensions[along].size;
    total.dynamic |= other.dimensions[along].dynamic;
    other.dimensions[along] = result.dimensions[along];
    if (!isSame(other, result)) {
      return false;
    }
  }
  return agree(total, result.dimensions[along]);
}

// Checks the result's shape against a `slice` attribute such as `{[0:4], [1:8:2]}`.
static bool checkSlice(const Instruction &instruction, const Shape &result, const Shape &operand) {
  const Value *slice = instruction.find("slice");
  if (!slice || !isArray(result) || !isArray(operand) || !haveSameElements(result, operand) ||
      slice->items.size() != operand.dimensions.size() ||
      result.dimensions.size() != operand.dimensions.size()) {
    return false;
  }
  for (size_t i = 0; i < operand.dimensions.size(); ++i) {
    const List<Value> &range = slice->items[i].items;
    std::vector<int64_t> numbers;
    for (const Value &number : range.size() == 1 ? range[0].items : List<Value>()) {
      numbers.push_back(number.integer().value_or(-1));
    }
    if (numbers.size() == 2) {
      numbers.push_back(1);
    }
    if (numbers.size() != 3 || numbers[0] < 0 || numbers[1] < numbers[0] || numbers[2] < 1) {
      return false;
    }
    const Dimension &of = operand.dimensions[i];
    int64_t length = numbers[1] - numbers[0];
    Dimension taken{length / numbers[2] + (length % numbers[2] != 0), of.dynamic};
    if ((!of.dynamic && numbers[1] > of.size) || !agree(taken, result.dimensions[i])) {
      return false;
    }
  }
  return true;
}

// Whether both are arrays of the same rank and element type, and no dimension of `inner` is larger
// than that of `outer`.
static bool isWithin(const Shape &inner, const Shape &outer) {
  return isArray(inner) && isArray(outer) && haveSameElements(inner, outer) &&
         std::equal(inner.dimensions.begin(), inner.dimensions.end(), outer.dimensions.begin(),
                    outer.dimensions.end(), [](const Dimension &a, const Dimension &b) {
                      return a.dynamic || b.dynamic || a.size <= b.size;
                    });
}

static bool checkDynamicSlice(const Instruction &instruction, const Shape &result,
                              const Shape &operand) {
  const Value *value = instruction.find("dynamic_slice_sizes");
  std::optional<std::vector<int64_t>> sizes = value ? value->integers() : std::nullopt;
  if (!sizes) {
    return false;
  }
  List<Dimension> dimensions;
  for (int64_t size : *sizes) {
    dimensions.push_back({size, false});
  }
  return isSame(result, withDimensions(operand, std::move(dimensions))) &&
         isWithin(result, operand);
}

static bool checkDot(const Instruction &instruction, const Shape &result, const Shape &lhs,
                     const Shape &rhs) {
  auto dimensionsOf = [&](std::string_view attribute, const Shape &shape) {
    return instruction.find(attribute) ? dimensionsIn(instruction, attribute, shape)
                                       : std::optional(std::vector<int64_t>());
  };
  auto lhsBatch = dimensionsOf("lhs_batch_dims", lhs),
       rhsBatch = dimensionsOf("rhs_batch_dims", rhs);
  auto lhsContracted = dimensionsOf("lhs_contracting_dims", lhs);
  auto rhsContracted = dimensionsOf("rhs_contracting_dims", rhs);
  if (!lhsBatch || !rhsBatch || !lhsContracted || !rhsContracted || !isArray(lhs) ||
      !isArray(rhs) || lhsBatch->size() != rhsBatch->size() ||
      lhsContracted->size() != rhsContracted->size()) {
    return false;
  }
  auto areEqual = [&](const std::vector<int64_t> &a, const std::vector<int64_t> &b) {
    return std::equal(a.begin(), a.end(), b.begin(), [&](int64_t i, int64_t j) {
      return agree(lhs.dimensions[static_cast<size_t>(i)], rhs.dimensions[static_cast<size_t>(j)]);
    });
  };
  List<Dimension> dimensions;
  for (int64_t batch : *lhsBatch) {
    dimensions.push_back(lhs.dimensions[static_cast<size_t>(batch)]);
  }
  auto addRest = [&](const Shape &shape, const auto &batch, const auto &contracted) {
    for (size_t i = 0; i < shape.dimensions.size(); ++i) {
      if (!contains(batch, i) && !contains(contracted, i)) {
        dimensions.push_back(shape.dimensions[i]);
      }
    }
  };
  addRest(lhs, *lhsBatch, *lhsContracted);
  addRest(rhs, *rhsBatch, *rhsContracted);
  // The result's element type may differ from the operands', as with `preferred_element_type`.
  return areEqual(*lhsBatch, *rhsBatch) && areEqual(*lhsContracted, *rhsContracted) &&
         haveSameDimensions(result, withDimensions(lhs, std::move(dimensions)));
}

static bool checkReduce(const Instruction &instruction, const Shape &result,
                        const Shapes &operands) {
  size_t count = operands.size() / 2;
  bool isTuple = result.kind == Shape::Kind::Tuple;
  auto dimensions = dimensionsIn(instruction, "dimensions", *operands[0]);
  if (operands.size() % 2 != 0 || !dimensions || isTuple != (count > 1) ||
      (isTuple && result.elements.size() != count)) {
    return false;
  }
  List<Dimension> left;
  for (size_t i = 0; i < operands[0]->dimensions.size(); ++i) {
    if (!contains(*dimensions, i)) {
      left.push_back(operands[0]->dimensions[i]);
    }
  }
  for (size_t i = 0; i < count; ++i) {
    const Shape &each = isTuple ? result.elements[i] : result;
    if (!haveSameDimensions(*operands[i], *operands[0]) || !isScalar(*operands[count + i]) ||
        !haveSameDimensions(each, withDimensions(each, left))) {
      return false;
    }
  }
  return true;
}

static bool checkShapes(ShapeRule rule, const Instruction &instruction, const Shapes &operands) {
  const Shape &result = instruction.shape;
  auto all = [&](auto holds) {
    return std::all_of(operands.begin(), operands.end(),
                       [&](const Shape *operand) { return holds(*operand); });
  };
  switch (rule) {
  case ShapeRule::Free:
    return true;
  case ShapeRule::Whole:
  case ShapeRule::Elementwise:
    return all([&](const Shape &operand) { return isSame(operand, result); });
  case ShapeRule::Conversion:
    return all([&](const Shape &operand) { return haveSameDimensions(operand, result); });
  case ShapeRule::Predicate:
    return result.element == "pred" && all([&](const Shape &operand) {
             return haveSameDimensions(operand, result) && haveSameElements(operand, *operands[0]);
           });
  case ShapeRule::Select:
    return operands[0]->element == "pred" &&
           (isScalar(*operands[0]) || haveSameDimensions(*operands[0], result)) &&
           isSame(*operands[1], result) && isSame(*operands[2], result);
  case ShapeRule::Clamp:
    return isSame(*operands[1], result) && all([&](const Shape &operand) {
             return haveSameElements(operand, result) &&
                    (isScalar(operand) || haveSameDimensions(operand, result));
           });
  case ShapeRule::Tuple:
    return result.kind == Shape::Kind::Tuple &&
           std::equal(operands.begin(), operands.end(), result.elements.begin(),
                      result.elements.end(), [](const Shape *operand, const Shape &element) {
                        return isSame(*operand, element);
                      });
  case ShapeRule::Element: {
    const Value *value = instruction.find("index");
    std::optional<int64_t> index = value ? value->integer() : std::nullopt;
    return operands[0]->kind == Shape::Kind::Tuple && index && *index >= 0 &&
           static_cast<size_t>(*index) < operands[0]->elements.size() &&
           isSame(operands[0]->elements[static_cast<size_t>(*index)], result);
  }
  case ShapeRule::Reshape:
    return checkReshape(result, *operands[0]);
  case ShapeRule::Broadcast:
    return checkBroadcast(instruction, result, *operands[0]);
  case ShapeRule::Transpose:
    return checkTranspose(instruction, result, *operands[0]);
  case ShapeRule::Concatenate:
    return checkConcatenate(instruction, result, operands);
  case ShapeRule::Slice:
    return checkSlice(instruction, result, *operands[0]);
  case ShapeRule::DynamicSlice:
    return checkDynamicSlice(instruction, result, *operands[0]);
  case ShapeRule::DynamicUpdate:
    return isSame(*operands[0], result) && isWithin(*operands[1], result);
  case ShapeRule::Dot:
    return checkDot(instruction, result, *operands[0], *operands[1]);
  case ShapeRule::Reduce:
    return checkReduce(instruction, result, operands);
  }
}

static std::string countText(const OperandRule &rule) {
  std::string least = std::to_string(rule.least);
  std::string text = rule.most == any          ? least + " or more"
                     : rule.least == rule.most ? least
                                               : least + " to " + std::to_string(rule.most);
  return text + (text == "1" ? " operand" : " operands");
}

Status checkOperands(const Instruction &instruction, std::span<Instruction *const> operands,
                     const std::string &place) {
  const OperandRule *rule = findOperandRule(instruction.opcode);
  if (!rule) {
    return Done{};
  }
  if (operands.size() < rule->least || (rule->most != any && operands.size() > rule->most)) {
    return diagnose(errors::ProgramInvalid,
                    "`" + instruction.opcode + "` takes " + countText(*rule) + ", not " +
                        std::to_string(operands.size()),
                    place, "give it " + countText(*rule));
  }
  Shapes shapes;
  std::string text;
  bool areKnown = instruction.shape.kind != Shape::Kind::Absent;
  for (const Instruction *operand : operands) {
    areKnown &= operand->shape.kind != Shape::Kind::Absent;
    shapes.push_back(&operand->shape);
    text += (text.empty() ? "" : ", ") + operand->shape.str(/*withLayout=*/false);
  }
  if (!areKnown || checkShapes(rule->shapes, instruction, shapes)) {
    return Done{};
  }
  return diagnose(errors::ProgramInvalid,
                  "`" + instruction.opcode + "` of (" + text + ") isn't " +
                      instruction.shape.str(/*withLayout=*/false),
                  place, std::string(equationOf(rule->shapes)));
}

Status checkOperands(const Instruction &instruction, const std::string &place) {
  std::vector<Instruction *> operands;
  for (const Operand &operand : instruction.operands) {
    operands.push_back(operand.instruction);
  }
  return checkOperands(instruction, operands, place);
}

} // namespace drumlin::hlo
