// Reductions over dimensions and windows. An exact program only sums integers that are so small
// that the sum is exact in the accumulator type.
#include "Generator.h"
#include "PrintedProgram.h"

#include "drumlin/support/FloatFormats.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace drumlin::fuzz {

// The maximum addends of all results together; the interpreter is slow.
static constexpr double maxTerms = 1 << 18;

static bool hasRank(const Value &value) { return !value.type.shape.empty(); }

Generator::Reducer Generator::anyReducer(const Value &input, double terms) {
  ElementType type = input.type.element;
  std::vector<std::string> names = {"stablehlo.maximum", "stablehlo.minimum"};
  if (isBoolean(type)) {
    names = {"stablehlo.and", "stablehlo.or", "stablehlo.xor"};
  } else if (!isFloat(type)) {
    names.insert(names.end(), {"stablehlo.add", "stablehlo.add", "stablehlo.multiply",
                               "stablehlo.and", "stablehlo.or", "stablehlo.xor"});
  } else if (exactLimit(type) > 0) {
    names.insert(names.end(), {"stablehlo.add", "stablehlo.add", "stablehlo.add"});
    if (!isExact && terms <= 64) {
      names.push_back("stablehlo.multiply");
    }
  }
  std::string name = random.pick(names);
  bool isSum = isFloat(type) && (name == "stablehlo.add" || name == "stablehlo.multiply");
  return {name, isSum};
}

// Returns the reducer's neutral element. If a double can't represent it, returns another number,
// which the reduction then treats like one more element.
double Generator::identity(const std::string &reducer, ElementType type) const {
  const ElementTypeInfo &entry = info(type);
  double most = isBoolean(type)    ? 1
                : entry.bits == 64 ? 0
                                   : std::ldexp(1.0, static_cast<int>(entry.bits)) - 1;
  double least = 0;
  if (isSigned(type)) {
    most = std::floor(most / 2);
    least = entry.bits == 64 ? 0 : -most - 1;
  } else if (isFloat(type)) {
    most = entry.specials == FloatSpecials::Ieee ? std::numeric_limits<double>::infinity()
                                                 : largestFinite(type);
    least = entry.specials == FloatSpecials::ScaleOnly ? 1 / most : -most;
  }
  if (reducer == "stablehlo.maximum") {
    return least;
  }
  if (reducer == "stablehlo.minimum") {
    return most;
  }
  if (reducer == "stablehlo.and") {
    return isSigned(type) ? -1 : most;
  }
  return reducer == "stablehlo.multiply" ? 1 : 0;
}

// In an exact program, converts the operand to integers that can be summed exactly.
Value Generator::prepareTerms(Value input, double terms, const Reducer &reducer) {
  if (!reducer.isSum || !isExact) {
    return input;
  }
  double limit = accumulationLimit(input.type.element) / std::max(terms + 1, 1.0);
  return integers(input, std::min(limit, std::max(input.bound, 3.0)));
}

// Returns the facts of combining `terms` elements with an initial value.
static Facts combined(const std::string &reducer, const Value &input, const Value &start,
                      double terms, bool isSum) {
  Facts facts = madeOf({&input, &start});
  ElementType type = input.type.element;
  if (!isFloat(type)) {
    return {reducer == "stablehlo.maximum" || reducer == "stablehlo.minimum"
                ? std::max(input.bound, start.bound)
                : -1,
            false, false};
  }
  bool both = input.isIntegral() && start.isIntegral();
  if (!isSum) {
    facts.bound = both ? std::max(input.bound, start.bound) : -1;
    return facts;
  }
  double sum = input.bound * terms + start.bound;
  if (both && reducer == "stablehlo.add" && sum <= accumulationLimit(type)) {
    facts.bound = sum > exactLimit(type) ? sum * 1.25 : sum;
  } else {
    facts.isRounded = facts.mayBeNan = true;
  }
  return facts;
}

// Emits the reducer's region. Sometimes puts its operation into a loop of one step, so that no
// kernel recognizes the function.
std::string Generator::reducerRegion(const Reducer &reducer, ElementType type) {
  std::string scalarType = TensorType{type, {}}.text();
  std::string a = newName(), b = newName(), c = newName();
  bool isSwapped = random.chance(30);
  std::string combines = c + " = " + reducer.name + " " + (isSwapped ? b : a) + ", " +
                         (isSwapped ? a : b) + " : " + scalarType + "\n";
  std::string begin = indentation + "  ", result = c;
  std::string text = "({\n" + indentation + "^bb0(" + a + ": " + scalarType + ", " + b + ": " +
                     scalarType + "):\n";
  // Uses a separate random stream, so that the loop doesn't change the program's other choices.
  Random other = random, own(other.next() + 1);
  if (own.chance(8)) {
    std::string yes = newName(), no = newName(), loop = newName(), value = newName();
    std::string goesOn = newName();
    text += begin + yes + " = stablehlo.constant dense<true> : tensor<i1>\n" + begin + no +
            " = stablehlo.constant dense<false> : tensor<i1>\n" + begin + loop +
            ":2 = stablehlo.while(" + value + " = " + a + ", " + goesOn + " = " + yes +
            ") : " + scalarType + ", tensor<i1>\n" + begin + "  cond {\n" + begin +
            "    stablehlo.return " + goesOn + " : tensor<i1>\n" + begin + "  } do {\n" + begin +
            "    " + combines + begin + "    stablehlo.return " + c + ", " + no + " : " +
            scalarType + ", tensor<i1>\n" + begin + "  }\n";
    result = loop + "#0";
  } else {
    text += begin + combines;
  }
  return text + begin + "stablehlo.return " + result + " : " + scalarType + "\n" + indentation +
         "})";
}

Value Generator::reduce(const Reducer &reducer, Value input, const std::vector<int64_t> &dims) {
  ElementType element = input.type.element;
  double terms = 1;
  TensorType type = {element, {}};
  for (size_t i = 0; i < input.type.shape.size(); ++i) {
    if (std::find(dims.begin(), dims.end(), static_cast<int64_t>(i)) != dims.end()) {
      terms *= static_cast<double>(input.type.shape[i]);
    } else {
      type.shape.push_back(input.type.shape[i]);
    }
  }
  input = prepareTerms(input, terms, reducer);
  bool isIdentity = random.chance(88);
  Value start = isIdentity
                    ? scalar(element, identity(reducer.name, element))
                    : ofType({element, {}}, [&](const Value &each) {
                        return !reducer.isSum || !isExact || (each.isIntegral() && each.bound <= 8);
                      });
  Facts facts = combined(reducer.name, input, start, terms, reducer.isSum);
  if (isIdentity && terms > 0 && isFloat(element) && !reducer.isSum) {
    facts = input.facts(); // results don't contain an infinite neutral element
  }
  markUsed(input);
  return emit(type,
              "stablehlo.reduce(" + input.name + " init: " + start.name + ") applies " +
                  reducer.name + " across dimensions = " + listText(dims) + " : (" +
                  input.type.text() + ", " + start.type.text() + ") -> " + type.text(),
              facts);
}

// Draws the reduced dimensions. Occasionally draws none: each element is then combined with the
// initial value.
static std::vector<int64_t> reducedDimensions(Random &random, size_t rank) {
  std::vector<int64_t> dims;
  bool isFull = random.chance(30);
  for (size_t i = 0; i < rank; ++i) {
    if (isFull || random.chance(45)) {
      dims.push_back(static_cast<int64_t>(i));
    }
  }
  bool isAlongNone = rank == 0 || random.chance(8);
  if (dims.empty() && !isAlongNone) {
    dims.push_back(static_cast<int64_t>(random.chance(50) ? rank - 1 : random.below(rank)));
  }
  return dims;
}

bool Generator::reducing() {
  bool mayBeScalar = random.chance(5);
  Value input = findOrMake([&](const Value &each) { return mayBeScalar || hasRank(each); },
                           [&] { return TensorType{floatElement(), anyShape(2)}; });
  std::vector<int64_t> dims = reducedDimensions(random, input.type.shape.size());
  double terms = static_cast<double>(input.type.elements());
  reduce(anyReducer(input, terms), input, dims);
  return true;
}

// Emits a reduction of two operands, which computes the index of the largest element or two
// independent results.
bool Generator::reducingPairs() {
  Value keys = findOrMake(
      [](const Value &each) {
        return hasRank(each) && !each.isRounded && !isBoolean(each.type.element) &&
               !each.mayBeNan && each.type.elements() > 0;
      },
      [&] { return TensorType{floatElement(), {random.between(1, 40)}}; });
  if (keys.isRounded || keys.mayBeNan || keys.type.shape.empty()) {
    return false;
  }
  ElementType element = keys.type.element;
  int64_t dimension = static_cast<int64_t>(random.below(keys.type.shape.size()));
  TensorType places = {ElementType::SI32, keys.type.shape};
  Value numbers =
      emit(places, "stablehlo.iota dim = " + std::to_string(dimension) + " : " + places.text(),
           {static_cast<double>(keys.type.shape[static_cast<size_t>(dimension)]), false, false});
  bool isLargest = random.chance(50);
  Value start =
      scalar(element, identity(isLargest ? "stablehlo.maximum" : "stablehlo.minimum", element));
  Value zero = scalar(ElementType::SI32, 0);
  TensorType value = {element, keys.type.shape}, place = places;
  value.shape.erase(value.shape.begin() + dimension);
  place.shape = value.shape;
  std::string scalarType = start.type.text(), names[8];
  for (std::string &name : names) {
    name = newName();
  }
  std::string kind = isFloat(element) ? "FLOAT" : isSigned(element) ? "SIGNED" : "UNSIGNED";
  std::string in = indentation + "  ";
  auto compared = [&](const std::string &direction) {
    return " = stablehlo.compare " + direction + ", " + names[0] + ", " + names[2] + ", " + kind +
           " : (" + scalarType + ", " + scalarType + ") -> tensor<i1>\n";
  };
  std::string better = newName(), same = newName(), lower = newName(), tie = newName();
  std::string takes = newName();
  std::string text = "\"stablehlo.reduce\"(" + keys.name + ", " + numbers.name + ", " + start.name +
                     ", " + zero.name + ") <{dimensions = array<i64: " + std::to_string(dimension) +
                     ">}> ({\n" + indentation + "^bb0(" + names[0] + ": " + scalarType + ", " +
                     names[1] + ": tensor<i32>, " + names[2] + ": " + scalarType + ", " + names[3] +
                     ": tensor<i32>):\n" + in + better + compared(isLargest ? "GT" : "LT") + in +
                     same + compared("EQ") + in + lower + " = stablehlo.compare LT, " + names[1] +
                     ", " + names[3] + ", SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" +
                     in + tie + " = stablehlo.and " + same + ", " + lower + " : tensor<i1>\n" + in +
                     takes + " = stablehlo.or " + better + ", " + tie + " : tensor<i1>\n" + in +
                     names[4] + " = stablehlo.select " + takes + ", " + names[0] + ", " + names[2] +
                     " : tensor<i1>, " + scalarType + "\n" + in + names[5] +
                     " = stablehlo.select " + takes + ", " + names[1] + ", " + names[3] +
                     " : tensor<i1>, tensor<i32>\n" + in + "stablehlo.return " + names[4] + ", " +
                     names[5] + " : " + scalarType + ", tensor<i32>\n" + indentation + "}) : (" +
                     keys.type.text() + ", " + numbers.type.text() + ", " + scalarType +
                     ", tensor<i32>) -> (" + value.text() + ", " + place.text() + ")";
  emitSeveral({value, place}, text, {{-1, true, false}, {numbers.bound, false, false}});
  return true;
}

// Returns `, name = array<…>`, or an empty text if all numbers are one, the default.
static std::string unlessOnes(const std::string &name, const std::vector<int64_t> &numbers) {
  bool isDefault =
      std::all_of(numbers.begin(), numbers.end(), [](int64_t each) { return each == 1; });
  return isDefault ? "" : ", " + name + " = " + arrayText(numbers);
}

// Returns the initial value. If it isn't neutral, it is combined once for each window position
// outside of the operand.
Value Generator::windowStart(const Reducer &reducer, ElementType element) {
  return scalar(element, random.chance(75) ? identity(reducer.name, element) : 1);
}

// Returns the operand as a window sees it: positions outside of the operand hold the initial value.
static Value padded(Value input, const Value &start) {
  input.bound = input.isIntegral() ? std::max(input.bound, start.bound) : input.bound;
  return input;
}

bool Generator::windowing() {
  Value input = findOrMake(hasRank, [&] { return TensorType{floatElement(), anyShape(2)}; });
  size_t rank = input.type.shape.size();
  std::vector<int64_t> window, strides, baseDilations, dilations;
  std::string padding;
  TensorType type = {input.type.element, {}};
  double terms = 1;
  for (int64_t size : input.type.shape) {
    bool isIn = random.chance(60);
    window.push_back(isIn ? random.between(1, 4) : 1);
    strides.push_back(isIn && random.chance(35) ? random.between(2, 3) : 1);
    baseDilations.push_back(isIn && random.chance(10) ? 2 : 1);
    dilations.push_back(isIn && random.chance(10) ? 2 : 1);
    int64_t low = isIn && random.chance(40) ? random.between(0, 2) : 0;
    int64_t high = isIn && random.chance(40) ? random.between(0, 2) : 0;
    padding +=
        (padding.empty() ? "[" : ", [") + std::to_string(low) + ", " + std::to_string(high) + "]";
    int64_t padded = low + high + (size == 0 ? 0 : (size - 1) * baseDilations.back() + 1);
    int64_t reach = (window.back() - 1) * dilations.back() + 1;
    type.shape.push_back(padded < reach ? 0 : (padded - reach) / strides.back() + 1);
    terms *= static_cast<double>(window.back());
  }
  if (!fits(type.shape) || terms * static_cast<double>(type.elements()) > maxTerms) {
    return false;
  }
  Reducer reducer = anyReducer(input, terms);
  input = prepareTerms(input, terms, reducer);
  ElementType element = type.element;
  Value start = windowStart(reducer, element);
  Facts facts = combined(reducer.name, padded(input, start), start, terms, reducer.isSum);
  emit(type,
       "\"stablehlo.reduce_window\"(" + input.name + ", " + start.name +
           ") <{window_dimensions = " + arrayText(window) + unlessOnes("window_strides", strides) +
           unlessOnes("base_dilations", baseDilations) + unlessOnes("window_dilations", dilations) +
           ", padding = dense<[" + padding + "]> : tensor<" + std::to_string(rank) + "x2xi64>}> " +
           reducerRegion(reducer, element) + " : (" + input.type.text() + ", " + start.type.text() +
           ") -> " + type.text(),
       facts);
  return true;
}

// Combines all prefixes (or suffixes) of a dimension by a reduce_window, as JAX writes cumsum.
bool Generator::scanning() {
  Value input =
      findOrMake([](const Value &each) { return hasRank(each) && each.type.elements() > 0; },
                 [&] { return TensorType{floatElement(), {random.between(2, 40)}}; });
  if (input.type.elements() == 0 || input.type.shape.empty()) {
    return false;
  }
  size_t rank = input.type.shape.size(), dimension = random.below(rank);
  int64_t size = input.type.shape[dimension];
  double terms = static_cast<double>(size);
  if (terms * static_cast<double>(input.type.elements()) > maxTerms) {
    return false;
  }
  Reducer reducer = anyReducer(input, terms);
  input = prepareTerms(input, terms, reducer);
  bool isForward = random.chance(70);
  std::vector<int64_t> window(rank, 1);
  window[dimension] = size;
  std::string padding;
  for (size_t i = 0; i < rank; ++i) {
    int64_t pad = i == dimension ? size - 1 : 0;
    padding += (i ? ", [" : "[") + std::to_string(isForward ? pad : 0) + ", " +
               std::to_string(isForward ? 0 : pad) + "]";
  }
  Value start = windowStart(reducer, input.type.element);
  Facts facts = combined(reducer.name, padded(input, start), start, terms, reducer.isSum);
  emit(input.type,
       "\"stablehlo.reduce_window\"(" + input.name + ", " + start.name +
           ") <{window_dimensions = " + arrayText(window) + ", padding = dense<[" + padding +
           "]> : tensor<" + std::to_string(rank) + "x2xi64>}> " +
           reducerRegion(reducer, input.type.element) + " : (" + input.type.text() + ", " +
           start.type.text() + ") -> " + input.type.text(),
       facts);
  return true;
}

// Emits the gradient of max pooling.
bool Generator::selectingAndScattering() {
  Value input = findOrMake(
      [&](const Value &each) {
        return hasRank(each) && !each.isRounded && !each.mayBeNan &&
               (exactLimit(each.type.element) > 0 || !isExact);
      },
      [&] { return TensorType{floatElement(), anyShape(2)}; });
  ElementType element = input.type.element;
  if (input.type.shape.empty() || input.isRounded || input.mayBeNan) {
    return false;
  }
  std::vector<int64_t> window, strides;
  TensorType sourceType = {element, {}};
  double overlap = 1;
  for (int64_t size : input.type.shape) {
    window.push_back(std::min(random.between(1, 3), std::max<int64_t>(size, 1)));
    strides.push_back(random.between(1, 3));
    sourceType.shape.push_back(size < window.back() ? 0
                                                    : (size - window.back()) / strides.back() + 1);
    overlap *= static_cast<double>(window.back());
  }
  if (!fits(sourceType.shape)) {
    return false;
  }
  Value source = ofType(sourceType);
  Reducer reducer = {"stablehlo.add", isFloat(element)};
  source = prepareTerms(source, overlap, reducer);
  bool hasZero = exactLimit(element) > 0;
  Value start = scalar(element, hasZero ? 0 : 1);
  Facts facts = combined(reducer.name, source, start, overlap, reducer.isSum);
  if (isFloat(element) && !source.isIntegral()) {
    facts.isRounded = true;
  }
  std::string scalarType = start.type.text(), a = newName(), b = newName(), c = newName();
  std::string kind = isFloat(element) ? "FLOAT" : isSigned(element) ? "SIGNED" : "UNSIGNED";
  std::string selection = "({\n" + indentation + "^bb0(" + a + ": " + scalarType + ", " + b + ": " +
                          scalarType + "):\n" + indentation + "  " + c + " = stablehlo.compare " +
                          random.pick<std::string>({"GE", "LE"}) + ", " + a + ", " + b + ", " +
                          kind + " : (" + scalarType + ", " + scalarType + ") -> tensor<i1>\n" +
                          indentation + "  stablehlo.return " + c + " : tensor<i1>\n" +
                          indentation + "}";
  std::string scattering = reducerRegion(reducer, element).substr(1);
  emit(input.type,
       "\"stablehlo.select_and_scatter\"(" + input.name + ", " + source.name + ", " + start.name +
           ") <{window_dimensions = " + arrayText(window) + unlessOnes("window_strides", strides) +
           "}> " + selection + ", " + scattering + " : (" + input.type.text() + ", " +
           source.type.text() + ", " + scalarType + ") -> " + input.type.text(),
       facts);
  return true;
}

} // namespace drumlin::fuzz
