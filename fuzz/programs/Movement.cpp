// Data movement operations.
#include "Generator.h"
#include "PrintedProgram.h"

#include <algorithm>

namespace drumlin::fuzz {

static bool any(const Value &) { return true; }

// Returns another shape with the same number of elements.
static Shape regrouped(Random &random, Shape shape) {
  for (int64_t steps = random.between(1, 3); steps > 0; --steps) {
    if (shape.size() > 1 && random.chance(55)) {
      size_t at = random.below(shape.size() - 1);
      shape[at] *= shape[at + 1];
      shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    } else if (shape.size() < 5) {
      size_t at = random.below(shape.size() + 1);
      std::vector<int64_t> factors = {1};
      if (at < shape.size()) {
        for (int64_t factor : {2, 3, 4, 5, 8, 16}) {
          if (shape[at] % factor == 0 && shape[at] > 0) {
            factors.push_back(factor);
          }
        }
      }
      int64_t factor = random.pick(factors);
      if (at < shape.size()) {
        shape[at] /= factor;
      }
      shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at), factor);
    }
  }
  return shape;
}

bool Generator::reshaping() {
  Value value = findOrMake(any, [&] { return anyType(); });
  reshape(value, regrouped(random, value.type.shape));
  return true;
}

bool Generator::transposing() {
  Value value = findOrMake([](const Value &each) { return each.type.shape.size() > 1; },
                           [&] { return TensorType{anyElement(), anyShape(2)}; });
  transpose(value, permutation(value.type.shape.size()));
  return true;
}

bool Generator::broadcasting() {
  Value value = findOrMake([](const Value &each) { return each.type.shape.size() < 5; },
                           [&] { return TensorType{anyElement(), anyShape(1)}; });
  const Shape &from = value.type.shape;
  Shape to;
  std::vector<int64_t> dims;
  size_t next = 0;
  // Keeps the operand's dimensions in order, as programs usually do, and may repeat dimensions of
  // size one.
  while (to.size() < 5 && (next < from.size() || to.empty() || random.chance(30))) {
    bool mustTake = 5 - to.size() <= from.size() - next;
    if (next < from.size() && (mustTake || random.chance(60))) {
      dims.push_back(static_cast<int64_t>(to.size()));
      to.push_back(from[next] == 1 && random.chance(50) ? anySize() : from[next]);
      ++next;
    } else {
      to.push_back(anySize());
    }
  }
  if (!fits(to)) {
    return false;
  }
  if (random.chance(6) && dims.size() > 1) {
    // A broadcast whose dimensions are out of order also transposes the operand.
    std::vector<int64_t> order = permutation(dims.size());
    Shape shape = to;
    std::vector<int64_t> permuted(dims.size());
    for (size_t i = 0; i < dims.size(); ++i) {
      permuted[i] = dims[static_cast<size_t>(order[i])];
      shape[static_cast<size_t>(permuted[i])] = from[i];
    }
    if (fits(shape)) {
      broadcast(value, permuted, shape);
      return true;
    }
  }
  broadcast(value, dims, to);
  return true;
}

bool Generator::slicing() {
  Value value = findOrMake([](const Value &each) { return !each.type.shape.empty(); },
                           [&] { return TensorType{anyElement(), anyShape(2)}; });
  Shape starts, limits, strides;
  for (int64_t size : value.type.shape) {
    bool isWhole = random.chance(45);
    int64_t first = isWhole ? 0 : random.between(0, size);
    int64_t last = isWhole ? size : random.between(first, size);
    if (first == last && size > 0 && !random.chance(3)) {
      first = 0;
      last = size;
    }
    starts.push_back(first);
    limits.push_back(last);
    strides.push_back(random.chance(75) ? 1 : random.between(2, 4));
  }
  slice(value, starts, limits, strides);
  return true;
}

bool Generator::padding() {
  Value value = findOrMake([](const Value &each) { return !each.type.shape.empty(); },
                           [&] { return TensorType{anyElement(), anyShape(2)}; });
  Value filler = ofType({value.type.element, {}});
  TensorType type = {value.type.element, {}};
  std::vector<int64_t> low, high, interior;
  for (int64_t size : value.type.shape) {
    low.push_back(random.chance(50) ? 0 : random.between(-1, 4));
    high.push_back(random.chance(50) ? 0 : random.between(-1, 4));
    interior.push_back(random.chance(80) ? 0 : random.between(1, 2));
    type.shape.push_back(size + low.back() + high.back() +
                         std::max<int64_t>(size - 1, 0) * interior.back());
    if (type.shape.back() < 0) {
      return false;
    }
  }
  if (!fits(type.shape)) {
    return false;
  }
  Facts facts = madeOf({&value, &filler});
  if (value.isIntegral() && filler.isIntegral()) {
    facts.bound = std::max(value.bound, filler.bound);
  }
  emit(type,
       "stablehlo.pad " + value.name + ", " + filler.name + ", low = " + listText(low) +
           ", high = " + listText(high) + ", interior = " + listText(interior) + " : (" +
           value.type.text() + ", " + filler.type.text() + ") -> " + type.text(),
       facts);
  return true;
}

bool Generator::concatenating() {
  Value first = findOrMake([](const Value &each) { return !each.type.shape.empty(); },
                           [&] { return TensorType{anyElement(), anyShape(2)}; });
  size_t dimension = random.below(first.type.shape.size());
  TensorType type = first.type;
  Facts facts = first.facts();
  std::string names = first.name, types = first.type.text();
  for (int64_t more = random.between(random.chance(8) ? 0 : 1, 3); more > 0; --more) {
    TensorType other = first.type;
    if (random.chance(50)) {
      other.shape[dimension] = anySize();
    }
    auto joins = [&](const Value &each) {
      Shape shape = each.type.shape;
      if (each.type.element != first.type.element || shape.size() != first.type.shape.size()) {
        return false;
      }
      shape[dimension] = first.type.shape[dimension];
      return shape == first.type.shape;
    };
    std::optional<Value> found = random.chance(60) ? find(joins) : std::nullopt;
    Value next = found ? *found : fits(other.shape) ? ofType(other) : first;
    names += ", " + next.name;
    types += ", " + next.type.text();
    type.shape[dimension] += next.type.shape[dimension];
    facts.isRounded |= next.isRounded;
    facts.mayBeNan |= next.mayBeNan;
    facts.bound = facts.isIntegral() && next.isIntegral() ? std::max(facts.bound, next.bound) : -1;
  }
  if (!fits(type.shape)) {
    return false;
  }
  emit(type,
       "stablehlo.concatenate " + names + ", dim = " + std::to_string(dimension) + " : (" + types +
           ") -> " + type.text(),
       facts);
  return true;
}

static std::vector<int64_t> someDimensions(Random &random, size_t rank) {
  std::vector<int64_t> dims;
  for (size_t i = 0; i < rank; ++i) {
    if (random.chance(50)) {
      dims.push_back(static_cast<int64_t>(i));
    }
  }
  return dims;
}

bool Generator::reversing() {
  Value value = findOrMake([](const Value &each) { return !each.type.shape.empty(); },
                           [&] { return TensorType{anyElement(), anyShape(2)}; });
  std::vector<int64_t> dims = someDimensions(random, value.type.shape.size());
  emit(value.type,
       "stablehlo.reverse " + value.name + ", dims = " + listText(dims) + " : " + value.type.text(),
       value.facts());
  return true;
}

// Emits a data movement on the result of another data movement, often of the same kind.
// Simplification can combine the two.
bool Generator::movingOn() {
  auto anyMovement = [&] {
    return random.pick<Family>({&Generator::reshaping, &Generator::transposing,
                                &Generator::broadcasting, &Generator::slicing, &Generator::padding,
                                &Generator::reversing, &Generator::concatenating});
  };
  Family first = anyMovement();
  if (!(this->*first)()) {
    return false;
  }
  Family second = random.chance(60) ? first : anyMovement();
  size_t outer = visibleFrom;
  visibleFrom = values.size() - 1;
  (this->*second)();
  visibleFrom = outer;
  return true;
}

bool Generator::makingIota() {
  ElementType element = anyElement();
  if (isBoolean(element)) {
    return false;
  }
  iota({element, anyShape(random.between(1, 3))});
  return true;
}

// Emits a dynamic pad; returns false if the result would be too large.
bool Generator::dynamicPad(const Value &value, ElementType sizeType) {
  const Shape &from = value.type.shape;
  Value filler = ofType({value.type.element, {}});
  TensorType type = {value.type.element, {}};
  std::vector<int64_t> low, high, interior;
  for (int64_t size : from) {
    low.push_back(random.between(0, 2));
    high.push_back(random.between(0, 2));
    interior.push_back(random.between(0, 1));
    type.shape.push_back(size + low.back() + high.back() +
                         std::max<int64_t>(size - 1, 0) * interior.back());
  }
  if (!fits(type.shape)) {
    return false;
  }
  Facts facts = madeOf({&value, &filler});
  if (value.isIntegral() && filler.isIntegral()) {
    facts.bound = std::max(value.bound, filler.bound);
  }
  Value lows = dense(sizeType, low), highs = dense(sizeType, high);
  Value interiors = dense(sizeType, interior);
  std::string edges = ", " + lows.type.text();
  emit(type,
       "stablehlo.dynamic_pad " + value.name + ", " + filler.name + ", " + lows.name + ", " +
           highs.name + ", " + interiors.name + " : (" + value.type.text() + ", " +
           filler.type.text() + edges + edges + edges + ") -> " + type.text(),
       facts);
  return true;
}

void Generator::dynamicSlice(const Value &value, ElementType sizeType) {
  const Shape &from = value.type.shape;
  Shape starts, limits, strides;
  TensorType type = {value.type.element, {}};
  for (int64_t size : from) {
    starts.push_back(random.between(0, size / 2));
    limits.push_back(random.between(starts.back(), size));
    strides.push_back(random.between(1, 2));
    type.shape.push_back((limits.back() - starts.back() + strides.back() - 1) / strides.back());
  }
  Value first = dense(sizeType, starts), last = dense(sizeType, limits);
  Value step = dense(sizeType, strides);
  std::string edges = ", " + first.type.text();
  emit(type,
       "stablehlo.real_dynamic_slice " + value.name + ", " + first.name + ", " + last.name + ", " +
           step.name + " : (" + value.type.text() + edges + edges + edges + ") -> " + type.text(),
       value.facts());
}

// Emits operations with size operands, which are constants here.
bool Generator::dynamicForm() {
  Value value = findOrMake([](const Value &each) { return !each.type.shape.empty(); },
                           [&] { return TensorType{anyElement(), anyShape(2)}; });
  const Shape &from = value.type.shape;
  ElementType sizeType = random.pick({ElementType::SI32, ElementType::SI64});
  switch (random.below(6)) {
  case 4: {
    TensorType type = {ElementType::SI32, {}};
    size_t dimension = random.below(from.size());
    emit(type,
         "stablehlo.get_dimension_size " + value.name + ", dim = " + std::to_string(dimension) +
             " : (" + value.type.text() + ") -> " + type.text(),
         {static_cast<double>(from[dimension]), false, false});
    return true;
  }
  case 5: {
    if (isBoolean(value.type.element)) {
      return false;
    }
    Value shape = dense(sizeType, from);
    size_t dimension = random.below(from.size());
    emit(value.type,
         "stablehlo.dynamic_iota " + shape.name + ", dim = " + std::to_string(dimension) + " : (" +
             shape.type.text() + ") -> " + value.type.text(),
         {-1, true, false});
    return true;
  }
  case 0: {
    TensorType type = {value.type.element, regrouped(random, from)};
    Value shape = dense(sizeType, type.shape);
    emit(type,
         "stablehlo.dynamic_reshape " + value.name + ", " + shape.name + " : (" +
             value.type.text() + ", " + shape.type.text() + ") -> " + type.text(),
         value.facts());
    return true;
  }
  case 1: {
    TensorType type = value.type;
    type.shape.insert(type.shape.begin(), random.between(1, 3));
    if (!fits(type.shape)) {
      return false;
    }
    std::vector<int64_t> dims;
    for (size_t i = 0; i < from.size(); ++i) {
      dims.push_back(static_cast<int64_t>(i) + 1);
    }
    Value shape = dense(sizeType, type.shape);
    emit(type,
         "stablehlo.dynamic_broadcast_in_dim " + value.name + ", " + shape.name +
             ", dims = " + listText(dims) + " : (" + value.type.text() + ", " + shape.type.text() +
             ") -> " + type.text(),
         value.facts());
    return true;
  }
  case 2:
    return dynamicPad(value, sizeType);
  default:
    dynamicSlice(value, sizeType);
    return true;
  }
}

// Returns a value of the same shape with the same elements in another order.
Value Generator::rearranged(Value value) {
  Shape shape = value.type.shape;
  size_t rank = shape.size();
  if (rank > 1 && random.chance(65)) {
    std::vector<int64_t> order = permutation(rank);
    Value turned = transpose(value, order);
    if (turned.type.shape != shape) {
      turned = reshape(turned, shape);
    }
    return turned;
  }
  if (rank > 0 && shape[0] > 1 && random.chance(50)) {
    // Rolls along the first dimension.
    int64_t at = random.between(1, shape[0] - 1);
    Shape starts(rank, 0), limits = shape, ones(rank, 1);
    starts[0] = at;
    Value tail = slice(value, starts, limits, ones);
    starts[0] = 0;
    limits[0] = at;
    Value head = slice(value, starts, limits, ones);
    return emit(value.type,
                "stablehlo.concatenate " + tail.name + ", " + head.name + ", dim = 0 : (" +
                    tail.type.text() + ", " + head.type.text() + ") -> " + value.type.text(),
                value.facts());
  }
  return emit(value.type,
              "stablehlo.reverse " + value.name +
                  ", dims = " + listText(someDimensions(random, rank)) + " : " + value.type.text(),
              value.facts());
}

// Combines a value with the same value in another order of elements. A kernel that recomputes the
// value instead of reading it can do so in only one of the two orders.
bool Generator::recombining() {
  std::optional<Value> value = find([](const Value &each) { return each.type.elements() > 1; });
  if (!value) {
    return false;
  }
  Value other = random.chance(25) && !isBoolean(value->type.element)
                    ? binaryOf(random.pick<std::string>({"stablehlo.add", "stablehlo.multiply"}),
                               *value, ofType(value->type))
                    : *value;
  other = rearranged(other);
  markUsed(other);
  std::vector<std::string> names = {"stablehlo.add", "stablehlo.subtract", "stablehlo.multiply",
                                    "stablehlo.maximum"};
  if (isBoolean(value->type.element)) {
    names = {"stablehlo.and", "stablehlo.xor"};
  }
  if (random.chance(50)) {
    binaryOf(random.pick(names), *value, other);
  } else {
    binaryOf(random.pick(names), other, *value);
  }
  return true;
}

} // namespace drumlin::fuzz
