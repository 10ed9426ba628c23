#include "Layers.h"

#include "GenerateRandom.h"
#include "PrintedProgram.h"
#include "RandomProgram.h"

#include <optional>
#include <vector>

namespace drumlin::fuzz {

namespace {
struct Named {
  std::string name;
  TensorType type;
};

class Layer {
public:
  explicit Layer(uint64_t seed) : random(Random(seed).next()) {}
  std::string make();

private:
  Named emit(const TensorType &type, const std::string &operation) {
    Named made = {"%v" + std::to_string(count++), type};
    body += "  " + made.name + " = " + operation + "\n";
    return made;
  }
  Named argument(const TensorType &type) {
    Named made = {"%a" + std::to_string(arguments.size()), type};
    arguments.push_back(made.name + ": " + type.text());
    return made;
  }
  Named constant(const TensorType &type, const std::string &number) {
    return emit(type, "stablehlo.constant dense<" + number + "> : " + type.text());
  }
  Named unary(const std::string &name, const Named &x) {
    return emit(x.type, "stablehlo." + name + " " + x.name + " : " + x.type.text());
  }
  Named binary(const std::string &name, const Named &x, const Named &y) {
    return emit(x.type, "stablehlo." + name + " " + x.name + ", " + y.name + " : " + x.type.text());
  }
  Named convert(const Named &x, ElementType to) {
    TensorType type = {to, x.type.shape};
    return to == x.type.element ? x
                                : emit(type, "stablehlo.convert " + x.name + " : (" +
                                                 x.type.text() + ") -> " + type.text());
  }
  Named broadcast(const Named &x, const std::vector<int64_t> &dims, const Shape &shape) {
    TensorType type = {x.type.element, shape};
    return emit(type, "stablehlo.broadcast_in_dim " + x.name + ", dims = " + listText(dims) +
                          " : (" + x.type.text() + ") -> " + type.text());
  }
  Named turned(const Named &x) { // transposes the last two dimensions
    TensorType type = x.type;
    size_t rank = type.shape.size();
    std::swap(type.shape[rank - 1], type.shape[rank - 2]);
    std::vector<int64_t> order;
    for (size_t i = 0; i < rank; ++i) {
      order.push_back(static_cast<int64_t>(i));
    }
    std::swap(order[rank - 1], order[rank - 2]);
    return emit(type, "stablehlo.transpose " + x.name + ", dims = " + listText(order) + " : (" +
                          x.type.text() + ") -> " + type.text());
  }
  // Returns a scalar: a constant, or a small argument, which may be converted or computed with.
  Named number(ElementType element) {
    Named made;
    switch (random.below(5)) {
    case 0:
      return constant({element, {}}, random.pick<std::string>({"0.5", "2.0", "-3.0"}));
    case 1:
      made = argument({ElementType::F32, {}});
      break;
    case 2:
      made = convert(argument({ElementType::F32, {}}), ElementType::BF16);
      break;
    case 3:
      made = unary("abs", argument({ElementType::F32, {}}));
      break;
    default:
      made = argument({element, {}});
    }
    return convert(made, element);
  }
  Named scaled(const Named &x) {
    Named factor = number(x.type.element);
    return binary(random.chance(70) ? "multiply" : "divide", x,
                  broadcast(factor, {}, x.type.shape));
  }
  // Converts to another type and back. A kernel with these conversions can become a library call
  // only if they lose no bits.
  Named detour(const Named &x) {
    ElementType between = random.pick({ElementType::F16, ElementType::BF16, ElementType::SI32,
                                       ElementType::F32, ElementType::F64});
    return convert(convert(x, between), x.type.element);
  }
  Named operand(const Shape &batch, int64_t free, int64_t depth, ElementType type, ElementType wide,
                bool &isTransposed);
  Named bend(const Named &x);
  Named gelu(const Named &x);
  Named step(Named x);
  Named sideOf(const Named &x);
  Named numberLike(const Named &x, const std::string &number) {
    return broadcast(constant({x.type.element, {}}, number), {}, x.type.shape);
  }

  Random random;
  std::vector<std::string> arguments;
  std::string body;
  int count = 0;
  std::optional<Named> intoGelu; // the input of the last gelu
};
} // namespace

Named Layer::operand(const Shape &batch, int64_t free, int64_t depth, ElementType type,
                     ElementType wide, bool &isTransposed) {
  isTransposed = random.chance(50);
  Shape shape = batch;
  shape.push_back(isTransposed ? depth : free);
  shape.push_back(isTransposed ? free : depth);
  Named value;
  if (random.chance(12)) { // the operand is a slice of a larger argument
    Shape larger = shape;
    int64_t start = random.between(1, 4);
    larger.back() += start;
    Named whole = argument({type, larger});
    std::string ranges;
    for (size_t i = 0; i < shape.size(); ++i) {
      int64_t from = i + 1 == shape.size() ? start : 0;
      ranges += (i ? ", " : "") + std::to_string(from) + ":" + std::to_string(from + shape[i]);
    }
    TensorType part = {type, shape};
    value = emit(part, "stablehlo.slice " + whole.name + " [" + ranges + "] : (" +
                           whole.type.text() + ") -> " + part.text());
  } else {
    value = argument({type, shape});
  }
  if (random.chance(15)) {
    value = turned(value);
    isTransposed = !isTransposed;
  }
  if (random.chance(8)) {
    value = convert(value, random.pick({ElementType::F8E5M2, ElementType::UI8, ElementType::BF16,
                                        ElementType::F16}));
  }
  value = convert(value, wide);
  for (int64_t scales = random.weighted<int64_t>({{45, 0}, {45, 1}, {10, 2}});
       isFloat(wide) && scales > 0; --scales) {
    value = scaled(value);
  }
  return value;
}

// Computes sqrt(2 / pi) (x + 0.044715 x³).
Named Layer::bend(const Named &x) {
  Named cube = binary("multiply", binary("multiply", x, x), x);
  Named sum = binary("add", x, binary("multiply", numberLike(x, "0.044715"), cube));
  return binary("multiply", numberLike(x, "0.797884583"), sum);
}

Named Layer::gelu(const Named &x) {
  Named one = binary("add", numberLike(x, "1.0"), unary("tanh", bend(x)));
  return binary("multiply", x, binary("multiply", numberLike(x, "0.5"), one));
}

// Returns a new argument of the shape of `x`, possibly transposed, in the element type of `x`.
Named Layer::sideOf(const Named &x) {
  const Shape &shape = x.type.shape;
  ElementType type = random.pick({x.type.element, x.type.element, ElementType::BF16});
  bool isSquare = shape[shape.size() - 1] == shape[shape.size() - 2];
  Named side = argument({type, shape});
  return convert(isSquare && random.chance(40) ? turned(side) : side, x.type.element);
}

Named Layer::step(Named x) {
  const Shape &shape = x.type.shape;
  auto last = static_cast<int64_t>(shape.size()) - 1;
  switch (random.below(isFloat(x.type.element) ? 16 : 4)) {
  case 0:
  case 1: { // adds a bias along rows or columns
    int64_t along = random.chance(80) ? last : last - 1;
    ElementType type = random.pick({x.type.element, x.type.element, ElementType::BF16});
    Named bias = convert(argument({type, {shape[static_cast<size_t>(along)]}}), x.type.element);
    Named wide = broadcast(bias, {along}, shape);
    return random.chance(80) ? binary("add", x, wide) : binary("subtract", x, wide);
  }
  case 2: {
    Named side = sideOf(x);
    return random.chance(60)   ? binary("add", side, x)
           : random.chance(50) ? binary("subtract", side, x)
                               : binary("subtract", x, side);
  }
  case 3:
    return binary("maximum", x, numberLike(x, isFloat(x.type.element) ? "0.0" : "0"));
  case 4:
  case 5:
    return scaled(x);
  case 6:
  case 7:
    intoGelu = x;
    return gelu(x);
  case 8:
    return binary("multiply", x, unary("logistic", x));
  case 9: { // multiplies by a gate
    Named side = sideOf(x);
    Named gate = random.chance(50)   ? binary("maximum", side, numberLike(side, "0.0"))
                 : random.chance(50) ? gelu(side)
                                     : side;
    return binary("multiply", x, gate);
  }
  case 10: { // multiplies by gelu'(z)
    Named z = sideOf(x);
    Named t = unary("tanh", bend(z));
    Named one = numberLike(z, "1.0"), half = numberLike(z, "0.5");
    Named first = binary("multiply", half, binary("add", one, t));
    Named slope =
        binary("add", one, binary("multiply", numberLike(z, "0.134145"), binary("multiply", z, z)));
    Named second = binary("multiply", binary("multiply", half, z),
                          binary("multiply", binary("subtract", one, binary("multiply", t, t)),
                                 binary("multiply", numberLike(z, "0.797884583"), slope)));
    return binary("multiply", x, binary("add", first, second));
  }
  case 11:
    return detour(x);
  case 12: {
    Named low = numberLike(x, random.pick<std::string>({"-448.0", "-1.0", "0.0"}));
    Named high = numberLike(x, random.pick<std::string>({"448.0", "6.0"}));
    return binary("minimum", high, binary("maximum", low, x));
  }
  case 13:
    return unary(random.pick<std::string>({"negate", "tanh", "abs"}), x);
  case 14:
    return binary("multiply", x, x);
  default:
    return turned(x);
  }
}

std::string Layer::make() {
  struct Types {
    ElementType lhs, rhs, wide;
  };
  auto types =
      random.pick<Types>({{ElementType::F8E4M3FN, ElementType::F8E4M3FN, ElementType::F32},
                          {ElementType::F8E5M2, ElementType::F8E4M3FN, ElementType::F32},
                          {ElementType::F8E4M3FN, ElementType::F8E4M3FN, ElementType::BF16},
                          {ElementType::F8E4M3FNUZ, ElementType::F8E4M3FNUZ, ElementType::F32},
                          {ElementType::BF16, ElementType::BF16, ElementType::BF16},
                          {ElementType::BF16, ElementType::BF16, ElementType::F32},
                          {ElementType::F16, ElementType::F16, ElementType::F32},
                          {ElementType::F32, ElementType::F32, ElementType::F32},
                          {ElementType::SI8, ElementType::SI8, ElementType::SI32}});
  Shape batch;
  if (random.chance(20)) {
    batch.push_back(random.between(2, 3));
  }
  auto size = [&] { return random.chance(85) ? 16 * random.between(1, 3) : random.between(1, 20); };
  int64_t m = size(), n = random.chance(45) ? m : size(), k = size();
  bool lhsTransposed = false, rhsTransposed = false;
  Named lhs = operand(batch, m, k, types.lhs, types.wide, lhsTransposed);
  Named rhs = operand(batch, n, k, types.rhs, types.wide, rhsTransposed);
  auto first = static_cast<int64_t>(batch.size());
  Shape shape = batch;
  shape.insert(shape.end(), {m, n});
  bool isAccumulated = types.wide == ElementType::BF16 && random.chance(50);
  TensorType type = {isAccumulated ? ElementType::F32 : types.wide, shape};
  std::string batching = batch.empty() ? "" : ", batching_dims = [0] x [0]";
  Named x = emit(type, "stablehlo.dot_general " + lhs.name + ", " + rhs.name + batching +
                           ", contracting_dims = [" + std::to_string(first + !lhsTransposed) +
                           "] x [" + std::to_string(first + !rhsTransposed) + "] : (" +
                           lhs.type.text() + ", " + rhs.type.text() + ") -> " + type.text());
  std::vector<Named> chain = {x};
  for (int64_t steps = random.weighted<int64_t>({{30, 0}, {30, 1}, {20, 2}, {12, 3}, {8, 4}});
       steps > 0; --steps) {
    if (random.chance(15)) {
      x = convert(x, random.pick({ElementType::F32, ElementType::BF16, ElementType::F16}));
    }
    x = step(x);
    chain.push_back(x);
  }
  std::vector<Named> results;
  if (isFloat(x.type.element) && random.chance(40)) {
    ElementType narrow = random.pick({ElementType::F8E4M3FN, ElementType::F8E4M3FNUZ});
    std::string most = narrow == ElementType::F8E4M3FN ? "448.0" : "240.0";
    if (random.chance(60)) {
      x = scaled(x);
      chain.push_back(x);
    }
    if (random.chance(90)) {
      Named low = numberLike(x, "-" + most), high = numberLike(x, most);
      x = binary("minimum", high, binary("maximum", low, x));
    }
    results.push_back(convert(x, narrow));
  } else {
    results.push_back(
        random.chance(70)
            ? x
            : convert(x, random.pick({ElementType::F32, ElementType::BF16, ElementType::F16})));
  }
  if (random.chance(intoGelu ? 50 : 15)) { // may also return the activation's input
    Named extra = intoGelu && random.chance(80) ? *intoGelu : random.pick(chain);
    extra = random.chance(40) ? turned(extra) : extra;
    results.push_back(random.chance(20) ? convert(extra, ElementType::BF16) : extra);
  }
  if (random.chance(20)) { // may also return the largest magnitude
    Named of = random.pick(chain);
    if (isFloat(of.type.element)) {
      of = random.chance(90) ? unary("abs", of) : of;
      of = random.chance(40) ? convert(of, ElementType::F32) : of;
      TensorType scalarType = {of.type.element, {}};
      Named start =
          constant(scalarType, random.pick<std::string>({"0.0", "-1.0", "-1.0e4", "1.5"}));
      std::vector<int64_t> dims;
      for (size_t i = 0; i < of.type.shape.size(); ++i) {
        dims.push_back(static_cast<int64_t>(i));
      }
      Named largest =
          emit(scalarType, "stablehlo.reduce(" + of.name + " init: " + start.name +
                               ") applies stablehlo.maximum across dimensions = " + listText(dims) +
                               " : (" + of.type.text() + ", " + scalarType.text() + ") -> " +
                               scalarType.text());
      results.push_back(random.chance(80) ? convert(largest, ElementType::F32) : largest);
    }
  }
  std::string names, resultTypes, parameters;
  for (const Named &result : results) {
    names += (names.empty() ? "" : ", ") + result.name;
    resultTypes += (resultTypes.empty() ? "" : ", ") + result.type.text();
  }
  for (const std::string &parameter : arguments) {
    parameters += (parameters.empty() ? "" : ", ") + parameter;
  }
  return "func.func @main(" + parameters + ") -> (" + resultTypes + ") {\n" + body + "  return " +
         names + " : " + resultTypes + "\n}\n";
}

std::string layerText(uint64_t seed) { return Layer(seed).make(); }

} // namespace drumlin::fuzz
