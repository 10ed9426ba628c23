// Loops, branches, calls and barriers. Regions use outside values directly.
#include "Generator.h"

#include <algorithm>

namespace drumlin::fuzz {

static constexpr int maxDepth = 2;

// Returns the facts of a value that comes from either of two branches.
static Facts either(const Facts &a, const Facts &b) {
  return {a.isIntegral() && b.isIntegral() ? std::max(a.bound, b.bound) : -1,
          a.mayBeNan || b.mayBeNan, a.isRounded || b.isRounded};
}

// Generates a region of `operations` operations that returns values of these types. Writes the
// region to `text`, without braces.
std::vector<Value> Generator::region(const std::vector<TensorType> &results, int64_t operations,
                                     std::string &text) {
  std::string outer = std::move(body), outerIndentation = indentation;
  size_t outerValues = values.size();
  body.clear();
  indentation += "  ";
  ++depth;
  generate(operations);
  std::vector<Value> returned;
  std::string names, types;
  for (const TensorType &type : results) {
    returned.push_back(ofType(type));
    names += (names.empty() ? "" : ", ") + returned.back().name;
    types += (types.empty() ? "" : ", ") + type.text();
  }
  line("stablehlo.return " + names + " : " + types);
  --depth;
  values.resize(outerValues);
  text = std::move(body);
  body = std::move(outer);
  indentation = std::move(outerIndentation);
  return returned;
}

static std::vector<TensorType> someTypes(Random &random, const std::vector<Value> &values,
                                         size_t visibleFrom) {
  std::vector<TensorType> types;
  for (int64_t more = random.between(1, 3); more > 0; --more) {
    types.push_back(values[visibleFrom + random.below(values.size() - visibleFrom)].type);
  }
  return types;
}

bool Generator::looping() {
  if (depth >= maxDepth || values.size() == visibleFrom) {
    return false;
  }
  std::vector<Value> initial = {scalar(ElementType::SI32, 0)};
  for (const TensorType &type : someTypes(random, values, visibleFrom)) {
    initial.push_back(ofType(type));
  }
  // The trip count is a constant, or comes from an argument.
  Value limit;
  if (random.chance(70)) {
    limit = scalar(ElementType::SI32, static_cast<double>(random.between(0, 4)));
  } else {
    limit = binaryOf("stablehlo.minimum", argument({ElementType::SI32, {}}, Filling::Indices),
                     scalar(ElementType::SI32, 4));
  }
  size_t outerValues = values.size();
  std::string carried, types;
  std::vector<TensorType> resultTypes;
  std::vector<Facts> facts;
  for (const Value &each : initial) {
    Value inside;
    inside.name = newName();
    inside.type = each.type;
    // The facts must hold for any value that the body may compute.
    bool isNumber = isFloat(each.type.element);
    static_cast<Facts &>(inside) =
        isNumber ? Facts{-1, true, !isExact} : Facts{exactLimit(each.type.element), false, false};
    carried += (carried.empty() ? "" : ", ") + inside.name + " = " + each.name;
    types += (types.empty() ? "" : ", ") + each.type.text();
    resultTypes.push_back(each.type);
    facts.push_back(inside.facts());
    values.push_back(inside);
  }
  Value counter = values[outerValues];
  std::vector<TensorType> others(resultTypes.begin() + 1, resultTypes.end());
  std::string text;
  region(others, random.between(2, 9), text);
  values.resize(outerValues);
  // The counter is the first returned value.
  std::string verdict = newName(), one = newName(), next = newName();
  size_t at = text.rfind("stablehlo.return ") + std::string("stablehlo.return ").size();
  size_t lineBegin = text.rfind('\n', at) + 1;
  if (at < lineBegin || text.rfind('\n', at) == std::string::npos) {
    lineBegin = 0;
  }
  text.insert(text.find(" : ", at) + 3, "tensor<i32>, ");
  text.insert(at, next + ", ");
  std::string in = indentation + "  ";
  text.insert(lineBegin, in + one + " = stablehlo.constant dense<1> : tensor<i32>\n" + in + next +
                             " = stablehlo.add " + counter.name + ", " + one + " : tensor<i32>\n");
  emitSeveral(resultTypes,
              "stablehlo.while(" + carried + ") : " + types + "\n" + indentation + "cond {\n" + in +
                  verdict + " = stablehlo.compare LT, " + counter.name + ", " + limit.name +
                  ", SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" + in +
                  "stablehlo.return " + verdict + " : tensor<i1>\n" + indentation + "} do {\n" +
                  text + indentation + "}",
              facts);
  return true;
}

Value Generator::predicate() {
  auto found = find(
      [](const Value &each) { return isBoolean(each.type.element) && each.type.elements() > 0; });
  if (found) {
    return elementOf(*found);
  }
  Value number = argument({ElementType::SI32, {}}, Filling::SmallIntegers);
  return compare(random.pick<std::string>({"LT", "GE", "EQ"}), number,
                 scalar(ElementType::SI32, 0));
}

bool Generator::branching() {
  if (depth >= maxDepth || values.size() == visibleFrom) {
    return false;
  }
  Value condition = predicate();
  std::vector<TensorType> types = someTypes(random, values, visibleFrom);
  std::string onTrue, onFalse, resultTypes;
  std::vector<Value> first = region(types, random.between(1, 7), onTrue);
  std::vector<Value> second = region(types, random.between(1, 7), onFalse);
  std::vector<Facts> facts;
  for (size_t i = 0; i < types.size(); ++i) {
    resultTypes += (i ? ", " : "") + types[i].text();
    facts.push_back(either(first[i], second[i]));
  }
  emitSeveral(types,
              "\"stablehlo.if\"(" + condition.name + ") ({\n" + onTrue + indentation + "}, {\n" +
                  onFalse + indentation + "}) : (tensor<i1>) -> (" + resultTypes + ")",
              facts);
  return true;
}

bool Generator::switching() {
  if (depth >= maxDepth || values.size() == visibleFrom) {
    return false;
  }
  Value number = random.chance(50) ? argument({ElementType::SI32, {}}, Filling::Indices)
                                   : ofType({ElementType::SI32, {}});
  std::vector<TensorType> types = someTypes(random, values, visibleFrom);
  std::string branches, resultTypes;
  std::vector<Facts> facts;
  for (int64_t left = random.between(1, 4), i = 0; i < left; ++i) {
    std::string text;
    std::vector<Value> returned = region(types, random.between(1, 5), text);
    branches += (i ? ", {\n" : "{\n") + text + indentation + "}";
    for (size_t j = 0; j < types.size(); ++j) {
      if (i == 0) {
        facts.push_back(returned[j].facts());
      } else {
        facts[j] = either(facts[j], returned[j]);
      }
    }
  }
  for (const TensorType &type : types) {
    resultTypes += (resultTypes.empty() ? "" : ", ") + type.text();
  }
  emitSeveral(types,
              "\"stablehlo.case\"(" + number.name + ") (" + branches + ") : (tensor<i32>) -> (" +
                  resultTypes + ")",
              facts);
  return true;
}

bool Generator::calling() {
  if (functions.empty()) {
    return false;
  }
  // A function calls only functions that were made before it.
  const Function &function = functions[random.below(functions.size())];
  std::string names, types, resultTypes;
  for (const Value &argument : function.arguments) {
    Value given = ofType(argument.type, [](const Value &each) { return !each.isRounded; });
    if (argument.isIntegral() && isFloat(argument.type.element)) {
      given = integers(given, argument.bound);
    }
    names += (names.empty() ? "" : ", ") + given.name;
    types += (types.empty() ? "" : ", ") + given.type.text();
  }
  std::vector<TensorType> made;
  std::vector<Facts> facts;
  for (const Value &result : function.results) {
    made.push_back(result.type);
    facts.push_back(result.facts());
    resultTypes += (resultTypes.empty() ? "" : ", ") + result.type.text();
  }
  std::string signature = " : (" + types + ") -> (" + resultTypes + ")";
  bool isComposite = !names.empty() && random.chance(25);
  emitSeveral(made,
              isComposite ? "stablehlo.composite \"fuzz." + function.name + "\" " + names +
                                " {decomposition = @" + function.name + "}" + signature
                          : "func.call @" + function.name + "(" + names + ")" + signature,
              facts);
  return true;
}

bool Generator::barrier() {
  if (values.size() == visibleFrom) {
    return false;
  }
  std::string names, types;
  std::vector<TensorType> made;
  std::vector<Facts> facts;
  for (int64_t more = random.between(1, 3); more > 0; --more) {
    Value value = *find([](const Value &) { return true; });
    names += (names.empty() ? "" : ", ") + value.name;
    types += (types.empty() ? "" : ", ") + value.type.text();
    made.push_back(value.type);
    facts.push_back(value.facts());
  }
  emitSeveral(made, "stablehlo.optimization_barrier " + names + " : " + types, facts);
  return true;
}

} // namespace drumlin::fuzz
