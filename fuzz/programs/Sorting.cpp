// Sorts with several kinds of comparators, and the largest elements of rows.
#include "Generator.h"
#include "PrintedProgram.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace drumlin::fuzz {

namespace {
// The order of a sort.
enum class SortOrder {
  ByElement,  // by element, ascending or descending
  ByTwo,      // by the first operand's elements; equal elements by the second operand's
  ByFunction, // by the magnitude of floating-point elements or the last bits of integers
  Total,      // JAX's total order: zeros are equal; NaNs are equal and come last
};

// Writes the operations of a comparator.
class Comparator {
public:
  Comparator(std::function<std::string()> newName, std::string indentation)
      : newName(std::move(newName)), indentation(std::move(indentation)) {}

  std::string emit(const std::string &operation) {
    std::string name = newName();
    text += indentation + "  " + name + " = " + operation + "\n";
    return name;
  }
  std::string constant(ElementType element, double number) {
    return emit("stablehlo.constant dense<" + numberText(element, number) +
                "> : " + TensorType{element, {}}.text());
  }
  std::string compare(ElementType element, const std::string &direction, const std::string &left,
                      const std::string &right, bool isTotal = false) {
    std::string kind = isTotal             ? "TOTALORDER"
                       : isFloat(element)  ? "FLOAT"
                       : isSigned(element) ? "SIGNED"
                                           : "UNSIGNED";
    std::string type = TensorType{element, {}}.text();
    return emit("stablehlo.compare " + direction + ", " + left + ", " + right + ", " + kind +
                " : (" + type + ", " + type + ") -> tensor<i1>");
  }
  std::string select(ElementType element, const std::string &predicate, const std::string &onTrue,
                     const std::string &onFalse) {
    return emit("stablehlo.select " + predicate + ", " + onTrue + ", " + onFalse +
                " : tensor<i1>, " + TensorType{element, {}}.text());
  }

  std::string text;

private:
  std::function<std::string()> newName;
  std::string indentation;
};
} // namespace

// Returns the sort key of `value`, one of the two elements that are compared.
static std::string sortKey(Comparator &comparator, SortOrder order, ElementType element,
                           const std::string &value) {
  std::string type = TensorType{element, {}}.text();
  if (order == SortOrder::ByFunction) {
    if (isFloat(element)) {
      return comparator.emit("stablehlo.abs " + value + " : " + type);
    }
    std::string bits = comparator.constant(element, isBoolean(element) ? 1 : 3);
    return comparator.emit("stablehlo.and " + value + ", " + bits + " : " + type);
  }
  if (order == SortOrder::Total) {
    std::string zero = comparator.constant(element, 0);
    std::string isZero = comparator.compare(element, "EQ", value, zero);
    std::string oneZero = comparator.select(element, isZero, zero, value);
    std::string isNan = comparator.compare(element, "NE", value, value);
    std::string nan = comparator.constant(element, std::numeric_limits<double>::quiet_NaN());
    return comparator.select(element, isNan, nan, oneZero);
  }
  return value;
}

static bool isKey(const Value &value) {
  return hasElements(value) && !value.isRounded && !value.mayBeNan;
}

// Sorts all operands by the elements of the first operand.
bool Generator::sorting() {
  auto order = random.weighted<SortOrder>({{45, SortOrder::ByElement},
                                           {25, SortOrder::ByTwo},
                                           {15, SortOrder::ByFunction},
                                           {15, SortOrder::Total}});
  auto isFirst = [&](const Value &value) {
    return order == SortOrder::Total ? hasElements(value) && hasNan(value.type.element) &&
                                           exactLimit(value.type.element) > 0 && !value.isRounded
                                     : isKey(value);
  };
  Value keys = findOrMake(isFirst, [&] {
    return TensorType{order == SortOrder::Total ? ElementType::F32 : integerElement(), anyShape(1)};
  });
  if (!isFirst(keys)) {
    return false;
  }
  // Makes some keys equal, to test that elements with equal keys keep their order.
  ElementType element = keys.type.element;
  if (isKey(keys) && exactLimit(element) > 4 && random.chance(50)) {
    keys = isFloat(element) ? integers(keys, 2)
                            : binaryOf("stablehlo.remainder", keys, splat(keys.type, 3));
  }
  const Shape &shape = keys.type.shape;
  auto dimension = static_cast<size_t>(
      random.chance(50) ? std::max_element(shape.begin(), shape.end()) - shape.begin()
                        : static_cast<ptrdiff_t>(random.below(shape.size())));
  std::vector<Value> operands = {keys};
  if (order == SortOrder::ByTwo) {
    Value second = ofType({random.chance(50) ? element : integerElement(), shape}, isKey);
    if (!isKey(second)) {
      return false;
    }
    operands.push_back(second);
  }
  for (int64_t more = random.between(0, 2); more > 0; --more) {
    operands.push_back(ofType({anyElement(), shape}));
  }
  std::string block, operandNames, operandTypes;
  std::vector<TensorType> types;
  std::vector<Facts> facts;
  std::vector<std::string> left, right; // the comparator's arguments
  for (size_t i = 0; i < operands.size(); ++i) {
    std::string scalarType = TensorType{operands[i].type.element, {}}.text();
    std::string separator = i ? ", " : "";
    left.push_back(newName());
    right.push_back(newName());
    block += separator + left[i] + ": " + scalarType + ", " + right[i] + ": " + scalarType;
    operandNames += separator + operands[i].name;
    operandTypes += separator + operands[i].type.text();
    types.push_back(operands[i].type);
    facts.push_back(operands[i].facts());
  }
  Comparator comparator([this] { return newName(); }, indentation);
  std::string direction = random.pick<std::string>({"LT", "GT"});
  std::string leftKey = sortKey(comparator, order, element, left[0]);
  std::string rightKey = sortKey(comparator, order, element, right[0]);
  std::string verdict =
      comparator.compare(element, direction, leftKey, rightKey, order == SortOrder::Total);
  if (order == SortOrder::ByTwo) {
    std::string isEqual = comparator.compare(element, "EQ", leftKey, rightKey);
    std::string next = comparator.compare(operands[1].type.element, "LT", left[1], right[1]);
    verdict = comparator.select(ElementType::I1, isEqual, next, verdict);
  }
  emitSeveral(types,
              "\"stablehlo.sort\"(" + operandNames + ") <{dimension = " +
                  std::to_string(dimension) + " : i64, is_stable = true}> ({\n" + indentation +
                  "^bb0(" + block + "):\n" + comparator.text + indentation + "  stablehlo.return " +
                  verdict + " : tensor<i1>\n" + indentation + "}) : (" + operandTypes + ") -> " +
                  (operands.size() == 1 ? operandTypes : "(" + operandTypes + ")"),
              facts);
  return true;
}

bool Generator::takingTop() {
  Value keys = findOrMake(isKey, [&] { return TensorType{integerElement(), anyShape(1)}; });
  if (!isKey(keys)) {
    return false;
  }
  int64_t count = random.between(1, keys.type.shape.back());
  TensorType value = keys.type, place = {ElementType::SI32, keys.type.shape};
  value.shape.back() = place.shape.back() = count;
  emitSeveral({value, place},
              "chlo.top_k(" + keys.name + ", k = " + std::to_string(count) +
                  ") : " + keys.type.text() + " -> (" + value.text() + ", " + place.text() + ")",
              {keys.facts(), {static_cast<double>(keys.type.shape.back()), false, false}});
  return true;
}

} // namespace drumlin::fuzz
