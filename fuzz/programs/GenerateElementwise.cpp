// Elementwise operations.
#include "Generator.h"

#include <algorithm>
#include <cmath>

namespace drumlin::fuzz {

std::vector<std::string> Generator::unaryNames(ElementType type) const {
  std::vector<std::string> names = available.exact.at(type);
  // The result of abs has another type if the operand is complex.
  if (isFloat(type) || isSigned(type)) {
    names.emplace_back("stablehlo.abs");
  }
  if (!isExact && isFloat(type)) {
    const std::vector<std::string> &more = available.approximations.at(type);
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

Value Generator::unaryOf(const std::string &name, Value operand) {
  std::string type = operand.type.text();
  Facts facts = madeOf({&operand});
  if (available.isApproximation(name)) {
    facts.isRounded = facts.mayBeNan = true;
  } else if (name == "stablehlo.sign") {
    facts.bound = operand.isIntegral() ? 1 : -1;
  } else if (name == "stablehlo.sqrt") {
    facts.mayBeNan = true;
  } else if (name == "chlo.square") {
    facts.bound = operand.isIntegral() ? operand.bound * operand.bound : -1;
    facts.mayBeNan |= !operand.isIntegral();
  } else if (isFloat(operand.type.element)) {
    facts.bound = operand.bound;
    facts.mayBeNan |= isScale(operand.type.element); // no zero and no negative numbers
  }
  if (facts.bound > exactLimit(operand.type.element)) {
    facts.bound *= 1.25; // rounding in types with few bits may increase magnitudes
  }
  bool isChlo = name.starts_with("chlo.");
  return emit(operand.type,
              name + " " + operand.name + " : " + type + (isChlo ? " -> " + type : ""), facts);
}

bool Generator::unary() {
  Value operand = findOrMake([](const Value &) { return true; },
                             [&] { return TensorType{floatElement(), anyShape()}; });
  ElementType type = operand.type.element;
  if (isFloat(type) && !operand.isRounded && random.chance(6)) {
    std::string name = random.pick<std::string>(
        {"stablehlo.is_finite", "chlo.is_inf", "chlo.is_pos_inf", "chlo.is_neg_inf"});
    TensorType result = {ElementType::I1, operand.type.shape};
    bool isChlo = name.starts_with("chlo.");
    emit(result,
         name + " " + operand.name + " : " +
             (isChlo ? operand.type.text() + " -> " + result.text()
                     : "(" + operand.type.text() + ") -> " + result.text()),
         {1, false, false});
    return true;
  }
  // The exact functions that are continuous, so that a rounded operand changes the result only a
  // little.
  static const std::vector<std::string> continuous = {"stablehlo.abs", "stablehlo.negate",
                                                      "chlo.square"};
  std::string name =
      operand.isRounded
          ? random.pick(random.chance(40) ? continuous : available.approximations.at(type))
          : random.pick(unaryNames(type));
  unaryOf(name, operand);
  return true;
}

// Returns whether a small change of the operands may change the result much. zeta and polygamma
// jump or are undefined at integers.
static bool jumps(const std::string &name) {
  return name == "stablehlo.remainder" || name == "chlo.next_after" || name == "chlo.zeta" ||
         name == "chlo.polygamma";
}
// Returns whether native code computes the function only to within an error bound.
static bool isApproximated(const std::string &name) {
  return name == "stablehlo.power" || name == "stablehlo.atan2" || name == "chlo.zeta" ||
         name == "chlo.polygamma";
}

std::vector<std::string> Generator::binaryNames(ElementType type) const {
  if (isBoolean(type)) {
    return {"stablehlo.and",     "stablehlo.or",  "stablehlo.xor",     "stablehlo.maximum",
            "stablehlo.minimum", "stablehlo.add", "stablehlo.multiply"};
  }
  std::vector<std::string> names = {
      "stablehlo.add",      "stablehlo.subtract", "stablehlo.multiply",
      "stablehlo.multiply", "stablehlo.add",      "stablehlo.maximum",
      "stablehlo.minimum",  "stablehlo.divide",   "stablehlo.remainder"};
  if (!isFloat(type)) {
    names.insert(names.end(), {"stablehlo.and", "stablehlo.or", "stablehlo.xor",
                               "stablehlo.shift_left", "stablehlo.shift_right_arithmetic",
                               "stablehlo.shift_right_logical", "stablehlo.power"});
  } else {
    names.push_back("chlo.next_after");
    if (!isExact) {
      names.insert(names.end(),
                   {"stablehlo.power", "stablehlo.atan2", "chlo.zeta", "chlo.polygamma"});
    }
  }
  return names;
}

Value Generator::binaryOf(const std::string &name, Value left, Value right) {
  std::string type = left.type.text();
  ElementType element = left.type.element;
  Facts facts = madeOf({&left, &right});
  bool both = left.isIntegral() && right.isIntegral();
  if (isFloat(element)) {
    if (name == "stablehlo.add" || name == "stablehlo.subtract") {
      facts.bound = both ? left.bound + right.bound : -1;
    } else if (name == "stablehlo.multiply") {
      facts.bound = both ? left.bound * right.bound : -1;
    } else if (name == "stablehlo.maximum" || name == "stablehlo.minimum") {
      facts.bound = both ? std::max(left.bound, right.bound) : -1;
    } else if (isApproximated(name)) {
      facts.isRounded = true;
    }
    facts.mayBeNan |= facts.bound < 0;
    if (facts.bound > exactLimit(element)) {
      facts.bound *= 1.25; // rounding in types with few bits may increase magnitudes
    }
  }
  bool isChlo = name.starts_with("chlo.");
  return emit(left.type,
              name + " " + left.name + ", " + right.name + " : " +
                  (isChlo ? type + ", " + type + " -> " + type : type),
              facts);
}

bool Generator::binary() {
  Value left = findOrMake([](const Value &) { return true; },
                          [&] { return TensorType{floatElement(), anyShape()}; });
  Value right = ofType(left.type);
  if (random.chance(50)) {
    std::swap(left, right);
  }
  std::string name = random.pick(binaryNames(left.type.element));
  bool isRounded = left.isRounded || right.isRounded;
  if (isRounded && jumps(name)) {
    name = "stablehlo.subtract";
  }
  binaryOf(name, left, right);
  return true;
}

Value Generator::select(Value predicate, Value onTrue, Value onFalse) {
  Facts facts = madeOf({&onTrue, &onFalse});
  facts.bound =
      onTrue.isIntegral() && onFalse.isIntegral() ? std::max(onTrue.bound, onFalse.bound) : -1;
  return emit(onTrue.type,
              "stablehlo.select " + predicate.name + ", " + onTrue.name + ", " + onFalse.name +
                  " : " + predicate.type.text() + ", " + onTrue.type.text(),
              facts);
}

bool Generator::ternary() {
  Value first = findOrMake([](const Value &) { return true; }, [&] { return anyType(); });
  Value second = ofType(first.type);
  if (random.chance(65)) {
    Shape shape = random.chance(85) ? first.type.shape : Shape();
    Value predicate = ofType({ElementType::I1, shape});
    select(predicate, first, second);
    return true;
  }
  TensorType limits = random.chance(50) ? first.type : TensorType{first.type.element, {}};
  Value low = ofType(limits), high = ofType(limits);
  Facts facts = madeOf({&first, &low, &high});
  if (first.isIntegral() && low.isIntegral() && high.isIntegral()) {
    facts.bound = std::max({first.bound, low.bound, high.bound});
  }
  emit(first.type,
       "stablehlo.clamp " + low.name + ", " + first.name + ", " + high.name + " : (" +
           limits.text() + ", " + first.type.text() + ", " + limits.text() + ") -> " +
           first.type.text(),
       facts);
  return true;
}

Value Generator::compare(const std::string &direction, Value left, Value right) {
  ElementType element = left.type.element;
  std::string kind = isFloat(element)
                         ? (random.chance(90) || exactLimit(element) == 0 ? "FLOAT" : "TOTALORDER")
                     : isSigned(element) ? "SIGNED"
                                         : "UNSIGNED";
  if (kind == "TOTALORDER" && (left.mayBeNan || right.mayBeNan)) {
    kind = "FLOAT"; // total order depends on NaN payloads, which aren't defined
  }
  TensorType result = {ElementType::I1, left.type.shape};
  return emit(result,
              "stablehlo.compare " + direction + ", " + left.name + ", " + right.name + ", " +
                  kind + " : (" + left.type.text() + ", " + right.type.text() + ") -> " +
                  result.text(),
              {1, false, false});
}

bool Generator::comparison() {
  auto isDetermined = [](const Value &value) { return !value.isRounded; };
  Value left = findOrMake(isDetermined, [&] { return anyType(); });
  if (left.isRounded) {
    return false;
  }
  Value right = ofType(left.type, isDetermined);
  compare(random.pick<std::string>({"EQ", "NE", "GE", "GT", "LE", "LT"}), left, right);
  return true;
}

bool Generator::conversion() {
  Value value = findOrMake([](const Value &) { return true; }, [&] { return anyType(); });
  ElementType from = value.type.element;
  if (!value.isRounded && !value.mayBeNan && random.chance(12)) {
    std::vector<ElementType> sameWidth;
    for (ElementType to : elements) {
      if (to != from && info(to).bits == info(from).bits) {
        sameWidth.push_back(to);
      }
    }
    if (info(from).bits < 8) {
      sameWidth.push_back(from); // few other types have the same width
    }
    for (ElementType to :
         {ElementType::SI4, ElementType::UI4, ElementType::SI2, ElementType::UI2, ElementType::SI8,
          ElementType::UI8, ElementType::SI16, ElementType::UI16, ElementType::SI32,
          ElementType::UI32, ElementType::SI64, ElementType::UI64}) {
      if (to != from && info(to).bits == info(from).bits) {
        sameWidth.push_back(to);
      }
    }
    if (sameWidth.empty()) {
      return false;
    }
    TensorType type = {random.pick(sameWidth), value.type.shape};
    if (isUnsigned(type.element) && info(from).bits >= 8 && random.chance(30) &&
        value.type.shape.size() < 5 && 2 * value.type.elements() <= maxElements) {
      // Bitcasts each element to two elements of half the width; the low half comes first.
      for (ElementType half :
           {ElementType::UI4, ElementType::UI8, ElementType::UI16, ElementType::UI32}) {
        type.element = 2 * info(half).bits == info(from).bits ? half : type.element;
      }
      type.shape.push_back(2);
    }
    emit(type,
         "stablehlo.bitcast_convert " + value.name + " : (" + value.type.text() + ") -> " +
             type.text(),
         {-1, true, false});
    return true;
  }
  ElementType to = value.isRounded ? floatElement() : anyElement();
  if (to == from) {
    return false;
  }
  convert(value, to);
  return true;
}

// Emits an elementwise operation of CHLO, which broadcasts operands along their last dimensions.
bool Generator::chloForm() {
  Value first = findOrMake([](const Value &) { return true; }, [&] { return anyType(); });
  const std::string type = first.type.text();
  bool isBool = isBoolean(first.type.element);
  switch (random.below(isBool ? 12 : 8)) {
  case 0:
    emit(first.type,
         "\"chlo.constant_like\"(" + first.name +
             ") <{value = " + numberText(first.type.element, 1) +
             (isBool ? "" : " : " + std::string(name(first.type.element))) + "}> : (" + type +
             ") -> " + type,
         {1, false, false});
    return true;
  case 1:
    emit(first.type, "chlo.constant dense<" + numberText(first.type.element, 1) + "> : " + type,
         {1, false, false});
    return true;
  case 2:
    if (isBool) {
      return false;
    }
    emit(first.type, "chlo.conj " + first.name + " : " + type + " -> " + type, first.facts());
    return true;
  default:
    break;
  }
  size_t dropped = random.below(first.type.shape.size() + 1);
  TensorType smaller = {first.type.element,
                        Shape(first.type.shape.begin() + static_cast<std::ptrdiff_t>(dropped),
                              first.type.shape.end())};
  Value second = ofType(smaller);
  if (random.chance(12)) {
    Value predicate = ofType({ElementType::I1, first.type.shape});
    Facts facts = madeOf({&first, &second});
    facts.bound =
        first.isIntegral() && second.isIntegral() ? std::max(first.bound, second.bound) : -1;
    emit(first.type,
         "chlo.broadcast_select " + predicate.name + ", " + first.name + ", " + second.name +
             " : (" + predicate.type.text() + ", " + type + ", " + second.type.text() + ") -> " +
             type,
         facts);
    return true;
  }
  if (!first.isRounded && !second.isRounded && random.chance(15)) {
    TensorType verdict = {ElementType::I1, first.type.shape};
    emit(verdict,
         "\"chlo.broadcast_compare\"(" + first.name + ", " + second.name +
             ") <{comparison_direction = #chlo<comparison_direction " +
             random.pick<std::string>({"EQ", "NE", "GE", "GT", "LE", "LT"}) + ">}> : (" + type +
             ", " + second.type.text() + ") -> " + verdict.text(),
         {1, false, false});
    return true;
  }
  std::vector<std::string> names = binaryNames(first.type.element);
  std::string operation = random.pick(names);
  bool isRounded = first.isRounded || second.isRounded;
  if (isRounded && jumps(operation)) {
    operation = "stablehlo.add";
  }
  bool isInexact = isFloat(first.type.element) && isApproximated(operation);
  operation = operation.substr(operation.find('.') + 1);
  Facts facts = madeOf({&first, &second});
  facts.mayBeNan = isFloat(first.type.element);
  facts.isRounded |= isInexact;
  bool swaps = random.chance(30);
  const Value &left = swaps ? second : first, &right = swaps ? first : second;
  emit(first.type,
       "chlo.broadcast_" + operation + " " + left.name + ", " + right.name + " : (" +
           left.type.text() + ", " + right.type.text() + ") -> " + type,
       facts);
  return true;
}

bool Generator::reducedPrecision() {
  std::optional<Value> value =
      find([](const Value &each) { return isFloat(each.type.element) && !each.isRounded; });
  if (!value) {
    return false;
  }
  int64_t exponent = random.between(2, 8), mantissa = random.between(0, 10);
  Facts facts = madeOf({&*value});
  facts.mayBeNan = true;
  emit(value->type,
       "stablehlo.reduce_precision " + value->name + ", format = e" + std::to_string(exponent) +
           "m" + std::to_string(mantissa) + " : " + value->type.text(),
       facts);
  return true;
}

} // namespace drumlin::fuzz
