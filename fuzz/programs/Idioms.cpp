// Idioms of models: several operations that belong together.
#include "Generator.h"

#include <algorithm>

namespace drumlin::fuzz {

static bool isNumber(const Value &value, size_t least, size_t most) {
  return isFloat(value.type.element) && exactLimit(value.type.element) > 0 &&
         value.type.shape.size() >= least && value.type.shape.size() <= most &&
         value.type.elements() > 0;
}

bool Generator::idiom() {
  Family family = random.pick<Family>(
      {&Generator::softmax, &Generator::normalization, &Generator::denseLayer,
       &Generator::denseLayer, &Generator::quantization, &Generator::minusTranspose,
       &Generator::minusTranspose, &Generator::variance, &Generator::oneHot, &Generator::rotation,
       &Generator::limitByProduct, &Generator::reductionAmongOthers, &Generator::complexNumbers,
       &Generator::partsOfReal, &Generator::collective, &Generator::quantizedElements});
  return (this->*family)();
}

// Reduces a value over its last dimension, and broadcasts the result back.
Value Generator::alongLast(const std::string &reducer, Value value) {
  auto last = static_cast<int64_t>(value.type.shape.size()) - 1;
  bool isSum = reducer == "stablehlo.add";
  Value reduced = reduce({reducer, isSum}, value, {last});
  std::vector<int64_t> dims;
  for (int64_t i = 0; i < last; ++i) {
    dims.push_back(i);
  }
  return broadcast(reduced, dims, value.type.shape);
}

bool Generator::softmax() {
  std::optional<Value> value = find([](const Value &each) { return isNumber(each, 1, 4); });
  if (!value || isExact) {
    return false;
  }
  Value shifted = binaryOf("stablehlo.subtract", *value, alongLast("stablehlo.maximum", *value));
  Value weights = unaryOf("stablehlo.exponential", shifted);
  binaryOf("stablehlo.divide", weights, alongLast("stablehlo.add", weights));
  return true;
}

bool Generator::normalization() {
  std::optional<Value> value = find([](const Value &each) { return isNumber(each, 1, 4); });
  if (!value) {
    return false;
  }
  ElementType element = value->type.element;
  auto count = static_cast<double>(value->type.shape.back());
  Value divisor = splat(value->type, count);
  Value mean = binaryOf("stablehlo.divide", alongLast("stablehlo.add", *value), divisor);
  Value centered = binaryOf("stablehlo.subtract", *value, mean);
  Value square = binaryOf("stablehlo.multiply", centered, centered);
  Value spread = binaryOf("stablehlo.divide", alongLast("stablehlo.add", square), divisor);
  Value shifted =
      binaryOf("stablehlo.add", spread, broadcast(scalar(element, 1), {}, value->type.shape));
  Value scale = isExact ? unaryOf("stablehlo.sqrt", shifted) : unaryOf("stablehlo.rsqrt", shifted);
  Value result = binaryOf("stablehlo.multiply", centered, scale);
  if (random.chance(50)) {
    Value gain = ofType({element, {value->type.shape.back()}});
    auto last = static_cast<int64_t>(value->type.shape.size()) - 1;
    binaryOf("stablehlo.multiply", result, broadcast(gain, {last}, value->type.shape));
  }
  return true;
}

bool Generator::denseLayer() {
  std::optional<Value> input = find([](const Value &each) { return isNumber(each, 2, 3); });
  if (!input) {
    return false;
  }
  int64_t width = anySize();
  std::optional<Value> product = matrixProduct(*input, width);
  if (!product) {
    return false;
  }
  auto last = static_cast<int64_t>(product->type.shape.size()) - 1;
  Value bias = ofType({product->type.element, {width}});
  Value sum = binaryOf("stablehlo.add", *product, broadcast(bias, {last}, product->type.shape));
  Value zero = broadcast(scalar(sum.type.element, 0), {}, sum.type.shape);
  Value active = isExact || random.chance(50) ? binaryOf("stablehlo.maximum", sum, zero)
                                              : unaryOf("stablehlo.tanh", sum);
  if (active.type == input->type && random.chance(60)) {
    binaryOf("stablehlo.add", active, *input);
  }
  if (random.chance(30)) {
    alongLast("stablehlo.maximum", unaryOf("stablehlo.abs", sum)); // the amax
  }
  return true;
}

// Scales and clamps a value, rounds it to a type of few bits, and converts it back.
bool Generator::quantization() {
  std::optional<Value> value = find([](const Value &each) { return isNumber(each, 1, 3); });
  if (!value || value->isRounded) {
    return false;
  }
  ElementType element = value->type.element;
  Value scale = broadcast(scalar(element, random.pick({0.5, 2.0, 4.0})), {}, value->type.shape);
  Value scaled = binaryOf("stablehlo.multiply", *value, scale);
  ElementType narrow = random.pick({ElementType::F8E4M3FN, ElementType::F8E5M2, ElementType::SI8,
                                    ElementType::F8E4M3FNUZ, ElementType::BF16});
  Value low = scalar(element, -8), high = scalar(element, 8);
  Facts facts = madeOf({&scaled});
  facts.bound = scaled.isIntegral() ? std::max(scaled.bound, 8.0) : -1;
  Value clamped = emit(scaled.type,
                       "stablehlo.clamp " + low.name + ", " + scaled.name + ", " + high.name +
                           " : (" + low.type.text() + ", " + scaled.type.text() + ", " +
                           high.type.text() + ") -> " + scaled.type.text(),
                       facts);
  Value quantized = convert(clamped, narrow);
  Value back = convert(quantized, random.chance(70) ? element : floatElement());
  if (back.type.shape.size() >= 2 && random.chance(60)) {
    return matrixProduct(back, anySize()).has_value();
  }
  return true;
}

// Combines a matrix with its own transpose, as programs do to compute the symmetric or
// antisymmetric part. The matrix is usually a matrix product.
bool Generator::minusTranspose() {
  std::optional<Value> input = find([](const Value &each) { return isNumber(each, 2, 4); });
  if (!input) {
    return false;
  }
  Shape shape = input->type.shape;
  size_t rank = shape.size();
  std::optional<Value> product =
      random.chance(70) ? matrixProduct(*input, shape[rank - 2]) : *input;
  if (!product) {
    return false;
  }
  std::vector<int64_t> order;
  for (size_t i = 0; i < rank; ++i) {
    order.push_back(static_cast<int64_t>(i));
  }
  std::swap(order[rank - 1], order[rank - 2]);
  Value turned = transpose(*product, order);
  if (turned.type.shape != product->type.shape) {
    turned = reshape(turned, product->type.shape);
  }
  if (random.chance(40)) {
    turned = unaryOf("stablehlo.negate", turned);
  }
  if (random.chance(35)) { // combines both matrices with `other`, whose memory a result may reuse
    std::optional<Value> found =
        random.chance(50) ? matrixProduct(*input, shape[rank - 2]) : std::nullopt;
    Value other = found && found->type == product->type ? *found : ofType(product->type);
    binaryOf("stablehlo.add", *product, other);
    binaryOf("stablehlo.subtract", turned, other);
    return true;
  }
  binaryOf(random.pick<std::string>({"stablehlo.add", "stablehlo.subtract", "stablehlo.multiply"}),
           *product, turned);
  return true;
}

// Computes E[x²] - E[x]² of all elements, and broadcasts it.
bool Generator::variance() {
  std::optional<Value> value = find([](const Value &each) { return isNumber(each, 1, 4); });
  if (!value) {
    return false;
  }
  std::vector<int64_t> all;
  for (size_t i = 0; i < value->type.shape.size(); ++i) {
    all.push_back(static_cast<int64_t>(i));
  }
  Reducer sum = {"stablehlo.add", true};
  Value squares = reduce(sum, binaryOf("stablehlo.multiply", *value, *value), all);
  Value total = reduce(sum, *value, all);
  Value spread =
      binaryOf("stablehlo.subtract", squares, binaryOf("stablehlo.multiply", total, total));
  Value everywhere = broadcast(spread, {}, value->type.shape);
  binaryOf("stablehlo.multiply", everywhere, *value);
  return true;
}

bool Generator::oneHot() {
  int64_t count = random.between(1, 9), classes = anySize();
  TensorType type = {ElementType::SI32, {count, classes}};
  if (!fits(type.shape) || classes == 0) {
    return false;
  }
  Value labels =
      broadcast(argument({ElementType::SI32, {count}}, Filling::Indices), {0}, type.shape);
  Value numbers = emit(type, "stablehlo.iota dim = 1 : " + type.text(),
                       {static_cast<double>(classes), false, false});
  Value hot = convert(compare("EQ", labels, numbers), floatElement());
  if (random.chance(60)) {
    return matrixProduct(hot, anySize()).has_value();
  }
  return true;
}

// Clamps numbers by a scalar bound that is the dot product of two vectors, as programs limit
// gradients by their norm.
bool Generator::limitByProduct() {
  std::optional<Value> value = find([](const Value &each) { return isNumber(each, 1, 4); });
  if (!value) {
    return false;
  }
  ElementType element = value->type.element;
  std::optional<Value> product = matrixProduct(ofType({element, {random.between(1, 9)}}), 1);
  if (!product) {
    return false;
  }
  Value limit = reshape(convert(*product, element), {});
  Value low = scalar(element, -2);
  Facts facts = madeOf({&*value, &low, &limit});
  if (value->isIntegral() && limit.isIntegral()) {
    facts.bound = std::max({value->bound, low.bound, limit.bound});
  }
  std::string scalarType = limit.type.text();
  emit(value->type,
       "stablehlo.clamp " + low.name + ", " + value->name + ", " + limit.name + " : (" +
           scalarType + ", " + value->type.text() + ", " + scalarType + ") -> " +
           value->type.text(),
       facts);
  return true;
}

// Reduces all elements to one number. Half of the time, this number fills a part of a larger value,
// whose other elements don't depend on it.
bool Generator::reductionAmongOthers() {
  std::optional<Value> value = find([](const Value &each) { return isNumber(each, 1, 4); });
  if (!value) {
    return false;
  }
  int64_t count = value->type.elements();
  Reducer reducer =
      random.chance(50) ? Reducer{"stablehlo.maximum", false} : Reducer{"stablehlo.add", true};
  bool isScalar = random.chance(30);
  Value row = reshape(*value, isScalar ? Shape{count} : Shape{1, count});
  Value reduced = reduce(reducer, row, {isScalar ? 0 : 1});
  if (random.chance(50)) {
    return true;
  }
  Shape shape = anyShape(1);
  Value part =
      broadcast(reduced, isScalar ? std::vector<int64_t>{} : std::vector<int64_t>{0}, shape);
  if (random.chance(40)) {
    part = binaryOf("stablehlo.add", part, ofType(part.type));
  }
  TensorType type = part.type;
  if (random.chance(50)) {
    int64_t low = random.between(0, 9), high = random.between(0, 9);
    type.shape[0] += low + high;
    Value zero = scalar(type.element, 0);
    emit(type,
         "stablehlo.pad " + part.name + ", " + zero.name + ", low = [" + std::to_string(low) +
             "], high = [" + std::to_string(high) + "], interior = [0] : (" + part.type.text() +
             ", " + zero.type.text() + ") -> " + type.text(),
         madeOf({&part}, part.bound));
    return true;
  }
  Value before = ofType({type.element, {random.between(1, 9)}});
  type.shape[0] += before.type.shape[0];
  emit(type,
       "stablehlo.concatenate " + before.name + ", " + part.name + ", dim = 0 : (" +
           before.type.text() + ", " + part.type.text() + ") -> " + type.text(),
       madeOf({&before, &part},
              before.isIntegral() && part.isIntegral() ? std::max(before.bound, part.bound) : -1));
  return true;
}

// Swaps the halves of the last dimension and negates one half, as rotary embeddings do.
bool Generator::rotation() {
  std::optional<Value> value = find(
      [](const Value &each) { return isNumber(each, 1, 4) && each.type.shape.back() % 2 == 0; });
  if (!value) {
    return false;
  }
  size_t rank = value->type.shape.size();
  Shape starts(rank, 0), limits = value->type.shape, ones(rank, 1);
  limits.back() /= 2;
  Value first = slice(*value, starts, limits, ones);
  starts.back() = limits.back();
  limits.back() *= 2;
  Value second = unaryOf("stablehlo.negate", slice(*value, starts, limits, ones));
  Value turned = emit(value->type,
                      "stablehlo.concatenate " + second.name + ", " + first.name +
                          ", dim = " + std::to_string(rank - 1) + " : (" + second.type.text() +
                          ", " + first.type.text() + ") -> " + value->type.text(),
                      value->facts());
  Value cosine = ofType(value->type), sine = ofType(value->type);
  binaryOf("stablehlo.add", binaryOf("stablehlo.multiply", *value, cosine),
           binaryOf("stablehlo.multiply", turned, sine));
  return true;
}

} // namespace drumlin::fuzz
