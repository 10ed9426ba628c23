#include "Generator.h"

#include "drumlin/support/FloatFormats.h"

#include <algorithm>
#include <cmath>

namespace drumlin::fuzz {

double exactLimit(ElementType type) {
  const ElementTypeInfo &entry = info(type);
  if (!isFloat(type)) {
    return std::ldexp(1.0, static_cast<int>(isSigned(type) ? entry.bits - 1 : entry.bits));
  }
  if (entry.specials == FloatSpecials::ScaleOnly) {
    return 0;
  }
  return std::min(std::ldexp(1.0, static_cast<int>(entry.mantissaBits) + 1),
                  std::floor(largestFinite(type)));
}

double accumulationLimit(ElementType type) {
  return std::ldexp(1.0, type == ElementType::F64 ? 53 : 24);
}

bool hasNan(ElementType type) {
  return isFloat(type) && info(type).specials != FloatSpecials::None;
}

Facts madeOf(std::initializer_list<const Value *> values, double bound) {
  Facts facts;
  facts.bound = bound;
  for (const Value *value : values) {
    facts.isRounded |= value->isRounded;
    facts.mayBeNan |= value->mayBeNan;
  }
  return facts;
}

// Sizes at which generated code changes, with their neighbours: 1, multiples of the 16 lanes of a
// vector, register blocks and panels of GEMMs, and cache lines. Also small odd sizes.
static const std::vector<int64_t> edgeSizes = {1,  2,  3,  4,  5,  7,  8,  9,   11,  12,
                                               13, 15, 16, 17, 24, 25, 31, 32,  33,  47,
                                               48, 49, 63, 64, 65, 96, 97, 127, 128, 129};
static constexpr size_t maxArguments = 24, maxResults = 12;
static constexpr int64_t maxRank = 5;

Generator::Generator(uint64_t seed, const Functions &available)
    : available(available), random(Random(seed).next()) {
  program.seed = seed;
  isExact = random.chance(34);
  hasSpecials = random.chance(25);
  // Half of all programs have 40 operations or more, a fifth 100 or more.
  int64_t length = random.weighted<int>({{48, 0}, {30, 1}, {22, 2}});
  budget = length == 0   ? random.between(5, 39)
           : length == 1 ? random.between(40, 99)
                         : random.between(100, 200);
  maxElements = random.weighted<int64_t>({{50, 300}, {35, 2500}, {budget < 60 ? 10 : 2, 40000}});
  size_t count = 2 + random.below(3);
  for (size_t i = 0; i < count; ++i) {
    sizes.push_back(random.chance(60) ? random.between(2, 9) : random.pick(edgeSizes));
  }
  if (random.chance(4)) {
    sizes.push_back(0);
  }
  size_t types = 1 + random.below(4);
  for (size_t i = 0; i < types; ++i) {
    // A third of the drawn types are small types, of which there are many.
    elements.push_back(random.weighted<ElementType>({{26, ElementType::F32},
                                                     {12, ElementType::BF16},
                                                     {8, ElementType::F16},
                                                     {7, ElementType::F64},
                                                     {10, ElementType::SI32},
                                                     {5, ElementType::SI8},
                                                     {5, ElementType::UI8},
                                                     {4, ElementType::SI64},
                                                     {4, ElementType::SI16},
                                                     {4, ElementType::UI16},
                                                     {4, ElementType::UI32},
                                                     {4, ElementType::UI64},
                                                     {4, ElementType::F8E4M3FN},
                                                     {4, ElementType::F8E5M2},
                                                     {3, ElementType::F8E4M3},
                                                     {3, ElementType::F8E3M4},
                                                     {3, ElementType::F8E4M3FNUZ},
                                                     {3, ElementType::F8E5M2FNUZ},
                                                     {3, ElementType::F8E4M3B11FNUZ},
                                                     {3, ElementType::F6E2M3FN},
                                                     {3, ElementType::F6E3M2FN},
                                                     {3, ElementType::F4E2M1FN},
                                                     {3, ElementType::F8E8M0FNU},
                                                     {2, ElementType::SI4},
                                                     {2, ElementType::UI4},
                                                     {1, ElementType::SI2},
                                                     {1, ElementType::UI2}}));
  }
  if (random.chance(60)) {
    elements.push_back(ElementType::F32);
  }
}

Program Generator::make() {
  int64_t functionCount = random.chance(20) ? random.between(1, 2) : 0;
  for (int64_t i = 0; i < functionCount; ++i) {
    makeFunction();
  }
  int64_t firstValues = random.between(1, 3);
  for (int64_t i = 0; i < firstValues; ++i) {
    fresh(anyType());
  }
  generate(budget);
  program.text = finish();
  return std::move(program);
}

void Generator::generate(int64_t count) {
  int64_t until = program.operations + count;
  // The number of tries is limited: if a program has only empty values, perhaps no operation fits.
  for (int64_t tries = 0; program.operations < until && tries < 20 * count; ++tries) {
    step();
  }
}

bool Generator::step() {
  Family family = random.weighted<Family>({{14, &Generator::unary},
                                           {20, &Generator::binary},
                                           {5, &Generator::ternary},
                                           {4, &Generator::comparison},
                                           {6, &Generator::conversion},
                                           {1, &Generator::reducedPrecision},
                                           {4, &Generator::reshaping},
                                           {5, &Generator::transposing},
                                           {5, &Generator::broadcasting},
                                           {4, &Generator::slicing},
                                           {3, &Generator::padding},
                                           {3, &Generator::concatenating},
                                           {2, &Generator::reversing},
                                           {4, &Generator::movingOn},
                                           {1, &Generator::makingIota},
                                           {1, &Generator::dynamicForm},
                                           {2, &Generator::chloForm},
                                           {10, &Generator::recombining},
                                           {8, &Generator::reducing},
                                           {2, &Generator::reducingPairs},
                                           {3, &Generator::windowing},
                                           {1, &Generator::scanning},
                                           {1, &Generator::selectingAndScattering},
                                           {7, &Generator::dot},
                                           {2, &Generator::convolving},
                                           {3, &Generator::gathering},
                                           {2, &Generator::scattering},
                                           {3, &Generator::dynamicSlicing},
                                           {3, &Generator::dynamicUpdating},
                                           {2, &Generator::sorting},
                                           {1, &Generator::takingTop},
                                           {3, &Generator::looping},
                                           {3, &Generator::branching},
                                           {2, &Generator::switching},
                                           {2, &Generator::calling},
                                           {1, &Generator::barrier},
                                           {4, &Generator::definition},
                                           {7, &Generator::idiom}});
  return (this->*family)();
}

// Returns the name of the operation at the start of a text: `stablehlo.add %a, …`,
// `"stablehlo.sort"(…`.
static std::string operationName(const std::string &text) {
  size_t begin = text.front() == '"' ? 1 : 0;
  return text.substr(begin, text.find_first_of(" (\"", begin) - begin);
}

// Returns the element type of the first operand, read from the signature at the end of an
// operation's text; empty if there is no operand.
static std::string operandElement(const std::string &text) {
  size_t signature = text.rfind(" : ");
  size_t begin = signature == std::string::npos ? signature : text.find("tensor<", signature);
  if (begin == std::string::npos) {
    return {};
  }
  std::string type = text.substr(begin, text.find('>', begin) - begin);
  // For quantized elements, returns the expressed type.
  if (size_t quantized = type.find("!quant"); quantized != std::string::npos) {
    size_t expressed = type.find(':', quantized) + 1;
    return type.substr(expressed, type.find(',', expressed) - expressed);
  }
  return type.substr(type.find_last_of("x<") + 1);
}

void Generator::line(const std::string &text) { body += indentation + text + "\n"; }

std::vector<Value> Generator::emitSeveral(const std::vector<TensorType> &types,
                                          const std::string &text,
                                          const std::vector<Facts> &facts) {
  std::string name = newName();
  std::string count = types.size() == 1 ? "" : ":" + std::to_string(types.size());
  line(name + count + " = " + text);
  ++program.operations;
  std::set<std::string> counted = {operandElement(text)};
  for (const TensorType &type : types) {
    counted.insert(std::string(drumlin::name(type.element)));
  }
  for (const std::string &element : counted) {
    ++program.operationCounts[operationName(text) + " " + element];
  }
  std::vector<Value> made;
  for (size_t i = 0; i < types.size(); ++i) {
    Value value;
    static_cast<Facts &>(value) = facts[i];
    value.name = types.size() == 1 ? name : name + "#" + std::to_string(i);
    value.type = types[i];
    if (!isFloat(value.type.element)) {
      double limit = exactLimit(value.type.element);
      value.bound = value.isIntegral() ? std::min(value.bound, limit) : limit;
      value.mayBeNan = false;
    } else if (value.bound > largestFinite(value.type.element)) {
      value.bound = -1;
      value.mayBeNan = true;
    }
    if (value.mayBeNan && !hasNan(value.type.element)) {
      value.mayBeNan = false;
    }
    values.push_back(value);
    made.push_back(value);
  }
  return made;
}

Value Generator::emit(const TensorType &type, const std::string &text, const Facts &facts) {
  return emitSeveral({type}, text, {facts}).front();
}

void Generator::markUsed(const Value &used) {
  for (Value &value : values) {
    if (value.name == used.name) {
      ++value.uses;
      return;
    }
  }
}

std::optional<Value> Generator::find(const Wanted &wanted) {
  std::vector<size_t> found;
  for (size_t i = visibleFrom; i < values.size(); ++i) {
    if (wanted(values[i])) {
      found.push_back(i);
    }
  }
  if (found.empty()) {
    return std::nullopt;
  }
  size_t chosen = found[random.below(found.size())];
  // Half of the time, takes one of the last few values, so that chains of operations grow.
  // Sometimes takes an unused value.
  if (random.chance(50)) {
    size_t last = std::min<size_t>(found.size(), 5);
    chosen = found[found.size() - 1 - random.below(last)];
  } else if (random.chance(30)) {
    for (size_t i : found) {
      if (values[i].uses == 0) {
        chosen = i;
      }
    }
  }
  ++values[chosen].uses;
  return values[chosen];
}

Value Generator::findOrMake(const Wanted &wanted, const std::function<TensorType()> &otherwise) {
  std::optional<Value> found = find(wanted);
  return found ? *found : fresh(otherwise());
}

Value Generator::ofType(const TensorType &type) {
  return ofType(type, [](const Value &) { return true; });
}

Value Generator::ofType(const TensorType &type, const Wanted &wanted) {
  auto fitting = [&](const Value &value) { return value.type == type && wanted(value); };
  if (random.chance(75)) {
    if (std::optional<Value> found = find(fitting)) {
      return *found;
    }
  }
  if (random.chance(50)) {
    auto source = find([&](const Value &value) {
      return wanted(value) && value.type.elements() > 0 &&
             (!value.isRounded || isFloat(type.element));
    });
    if (source) {
      Value made = coerce(*source, type);
      if (wanted(made)) {
        return made;
      }
    }
  }
  Value made = fresh(type);
  return wanted(made) ? made : argument(type, Filling::SmallIntegers);
}

Value Generator::fresh(const TensorType &type) {
  int kind = random.weighted<int>({{70, 0}, {22, 1}, {8, 2}});
  if (kind == 0) {
    return argument(type);
  }
  return kind == 1 || type.shape.empty() || isBoolean(type.element) || exactLimit(type.element) == 0
             ? constant(type)
             : iota(type);
}

Value Generator::argument(const TensorType &type, std::optional<Filling> filling) {
  size_t number = inFunction ? functionArguments.size() : program.arguments.size();
  if (number >= maxArguments) {
    return constant(type);
  }
  bool ofFloats = isFloat(type.element);
  if (!filling && ofFloats) {
    filling = random.chance(isExact ? 75 : 20)   ? Filling::SmallIntegers
              : hasSpecials && random.chance(40) ? Filling::Specials
                                                 : Filling::Numbers;
  } else if (!filling) {
    filling = random.pick({Filling::SmallIntegers, Filling::Indices, Filling::AnyInteger});
  }
  Value value;
  value.type = type;
  if (!ofFloats) {
    value.bound = exactLimit(type.element);
    if (*filling == Filling::SmallIntegers && !isUnsigned(type.element)) {
      value.bound = std::min(value.bound, 3.0);
    }
  } else {
    value.bound = *filling == Filling::SmallIntegers && !isScale(type.element) ? 3 : -1;
    value.mayBeNan = *filling == Filling::Specials || inFunction;
  }
  if (inFunction) {
    // Callers may pass any value of the type, so the facts must hold for all values of the type.
    value.name = "%f" + std::to_string(number);
    functionArguments.push_back(value);
  } else {
    value.name = "%a" + std::to_string(number);
    program.arguments.push_back({type, *filling});
  }
  values.push_back(value);
  return value;
}

std::string numberText(ElementType type, double number) {
  if (isBoolean(type)) {
    return number != 0 ? "true" : "false";
  }
  if (!isFloat(type)) {
    // Types of 2 or 4 bits can't represent even some small numbers.
    unsigned width = info(type).bits;
    double most = std::ldexp(1.0, static_cast<int>(isSigned(type) ? width - 1 : width)) - 1;
    double kept = width < 8 ? std::clamp(number, isSigned(type) ? -most - 1 : 0, most) : number;
    return std::to_string(static_cast<int64_t>(kept));
  }
  uint64_t bits = encode(type, number);
  unsigned digits = (info(type).bits + 3) / 4;
  static const char *hexadecimal = "0123456789ABCDEF";
  std::string text(digits, '0');
  for (unsigned i = 0; i < digits; ++i) {
    text[digits - 1 - i] = hexadecimal[(bits >> (4 * i)) & 15];
  }
  return "0x" + text;
}

Value Generator::splat(const TensorType &type, double number) {
  Facts facts;
  double rounded = isFloat(type.element) ? roundTo(type.element, number) : number;
  facts.mayBeNan = isFloat(type.element) && !std::isfinite(rounded);
  facts.bound = std::isfinite(rounded) && rounded == std::floor(rounded) &&
                        std::fabs(rounded) <= exactLimit(type.element)
                    ? std::fabs(rounded)
                    : -1;
  return emit(type,
              "stablehlo.constant dense<" + numberText(type.element, number) + "> : " + type.text(),
              facts);
}

Value Generator::scalar(ElementType type, double number) { return splat({type, {}}, number); }

Value Generator::dense(ElementType type, const std::vector<int64_t> &numbers) {
  TensorType made = {type, {static_cast<int64_t>(numbers.size())}};
  if (numbers.empty()) {
    return splat(made, 0);
  }
  std::string text;
  Facts facts = {0, false, false};
  for (int64_t number : numbers) {
    text += (text.empty() ? "" : ", ") + numberText(type, static_cast<double>(number));
    facts.bound = std::max(facts.bound, std::fabs(static_cast<double>(number)));
  }
  return emit(made, "stablehlo.constant dense<[" + text + "]> : " + made.text(), facts);
}

Value Generator::constant(const TensorType &type) {
  double least = isUnsigned(type.element) || isBoolean(type.element) ? 0 : -3;
  auto number = [&]() -> double {
    if (isScale(type.element)) {
      return std::ldexp(1.0, static_cast<int>(random.between(-2, 2)));
    }
    if (isFloat(type.element) && !isExact && random.chance(40)) {
      return random.pick({0.5, -0.25, 1.5, 0.1, -0.0});
    }
    return static_cast<double>(random.between(static_cast<int64_t>(least), 3));
  };
  if (type.shape.size() == 1 && type.shape[0] > 0 && type.shape[0] <= 40 &&
      !isScale(type.element) && random.chance(70)) {
    std::vector<int64_t> numbers;
    for (int64_t i = 0; i < type.shape[0]; ++i) {
      numbers.push_back(random.between(static_cast<int64_t>(least), 3));
    }
    return dense(type.element, numbers);
  }
  return splat(type, number());
}

Value Generator::iota(const TensorType &type) {
  size_t dimension = random.below(type.shape.size());
  Facts facts;
  facts.bound = static_cast<double>(std::max<int64_t>(type.shape[dimension], 1) - 1);
  if (isFloat(type.element) &&
      (facts.bound > exactLimit(type.element) || exactLimit(type.element) == 0)) {
    facts = {-1, true, false};
  }
  return emit(type, "stablehlo.iota dim = " + std::to_string(dimension) + " : " + type.text(),
              facts);
}

ElementType Generator::anyElement() {
  return random.chance(4) ? ElementType::I1 : random.pick(elements);
}

ElementType Generator::floatElement() {
  for (int i = 0; i < 8; ++i) {
    ElementType type = random.pick(elements);
    if (isFloat(type) && exactLimit(type) > 0) {
      return type;
    }
  }
  return ElementType::F32;
}

ElementType Generator::integerElement() {
  for (int i = 0; i < 4; ++i) {
    ElementType type = random.pick(elements);
    if (isInteger(type)) {
      return type;
    }
  }
  return random.pick({ElementType::SI32, ElementType::SI64, ElementType::UI8, ElementType::UI32});
}

int64_t Generator::anySize() {
  return random.chance(80)   ? random.pick(sizes)
         : random.chance(50) ? random.between(1, 3)
                             : random.pick(edgeSizes);
}

bool Generator::fits(const Shape &shape) const {
  std::optional<int64_t> count = elementCount(shape);
  return count && *count <= maxElements;
}

Shape Generator::anyShape(int64_t rank) {
  Shape shape;
  for (int64_t i = 0; i < rank; ++i) {
    shape.push_back(anySize());
    if (!fits(shape)) {
      shape.back() = random.between(1, 2);
    }
    if (!fits(shape)) {
      shape.back() = 1;
    }
  }
  random.shuffle(shape);
  return shape;
}

Shape Generator::anyShape() {
  return anyShape(
      random.weighted<int64_t>({{8, 0}, {24, 1}, {32, 2}, {20, 3}, {10, 4}, {6, maxRank}}));
}

std::vector<int64_t> Generator::permutation(size_t rank) {
  std::vector<int64_t> order(rank);
  for (size_t i = 0; i < rank; ++i) {
    order[i] = static_cast<int64_t>(i);
  }
  random.shuffle(order);
  return order;
}

std::vector<Value> Generator::chooseResults() {
  std::vector<Value> results;
  // Unused values would be dead code, so most of them become results.
  for (size_t i = values.size(); i-- > visibleFrom;) {
    bool isWanted = values[i].uses == 0 && values[i].name[1] == 'v' && random.chance(85);
    if (results.size() < maxResults && (isWanted || random.chance(2))) {
      results.push_back(values[i]);
    }
  }
  if (results.empty()) {
    results.push_back(values.back());
  }
  random.shuffle(results);
  return results;
}

static std::string join(const std::vector<std::string> &texts) {
  std::string joined;
  for (const std::string &text : texts) {
    joined += (joined.empty() ? "" : ", ") + text;
  }
  return joined;
}

static std::string layoutText(const std::vector<int64_t> &order) {
  std::string text;
  for (int64_t dimension : order) {
    text += (text.empty() ? "" : ",") + std::to_string(dimension);
  }
  return "mhlo.layout_mode = \"{" + text + "}\"";
}

// Writes the main function. Draws attributes of arguments and results, such as donation.
std::string Generator::finish() {
  std::vector<Value> results = chooseResults();
  std::vector<std::string> argumentNotes(program.arguments.size()), resultNotes(results.size());
  std::vector<bool> isTaken(results.size(), false);
  bool donates = random.chance(25), hasLayouts = random.chance(12);
  for (size_t i = 0; i < program.arguments.size(); ++i) {
    for (size_t j = 0; donates && j < results.size(); ++j) {
      if (!isTaken[j] && results[j].type == program.arguments[i].type && random.chance(50)) {
        argumentNotes[i] = " {tf.aliasing_output = " + std::to_string(j) + " : i32}";
        isTaken[j] = true;
        break;
      }
    }
    size_t rank = program.arguments[i].type.shape.size();
    if (argumentNotes[i].empty() && hasLayouts && rank > 1 && random.chance(50)) {
      argumentNotes[i] = " {" + layoutText(permutation(rank)) + "}";
    }
  }
  for (size_t j = 0; j < results.size(); ++j) {
    size_t rank = results[j].type.shape.size();
    if (!isTaken[j] && hasLayouts && rank > 1 && random.chance(50)) {
      resultNotes[j] = " {" + layoutText(permutation(rank)) + "}";
    }
  }
  bool hasStatics = random.chance(25);
  for (std::string &note : argumentNotes) {
    if (hasStatics && note.empty() && random.chance(50)) {
      note = " {drumlin.static = true}";
    }
  }
  std::vector<std::string> arguments, types, names, bareTypes;
  for (size_t i = 0; i < program.arguments.size(); ++i) {
    arguments.push_back("%a" + std::to_string(i) + ": " + program.arguments[i].type.text() +
                        argumentNotes[i]);
  }
  for (size_t j = 0; j < results.size(); ++j) {
    types.push_back(results[j].type.text() + resultNotes[j]);
    bareTypes.push_back(results[j].type.text());
    names.push_back(results[j].name);
    program.resultIsRounded.push_back(results[j].isRounded);
  }
  return "func.func public @main(" + join(arguments) + ") -> (" + join(types) + ") {\n" + body +
         "  return " + join(names) + " : " + join(bareTypes) + "\n}\n" + functionTexts;
}

// Makes a private function that the program may call.
void Generator::makeFunction() {
  inFunction = true;
  visibleFrom = values.size();
  functionArguments.clear();
  body.clear();
  fresh(anyType());
  generate(random.between(2, 10));
  std::vector<Value> results = chooseResults();
  results.resize(std::min<size_t>(results.size(), 3));
  Function function = {"f" + std::to_string(functions.size()), functionArguments, results};
  std::vector<std::string> arguments, types, names;
  for (const Value &argument : functionArguments) {
    arguments.push_back(argument.name + ": " + argument.type.text());
  }
  for (const Value &result : results) {
    types.push_back(result.type.text());
    names.push_back(result.name);
  }
  functionTexts += "func.func private @" + function.name + "(" + join(arguments) + ") -> (" +
                   join(types) + ") {\n" + body + "  return " + join(names) + " : " + join(types) +
                   "\n}\n";
  functions.push_back(std::move(function));
  values.resize(visibleFrom);
  visibleFrom = 0;
  body.clear();
  inFunction = false;
}

} // namespace drumlin::fuzz
