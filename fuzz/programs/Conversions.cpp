// Converts a value to another type or shape, with operations that real programs use.
#include "Generator.h"
#include "PrintedProgram.h"

#include <algorithm>
#include <cmath>

namespace drumlin::fuzz {

Value Generator::convert(Value value, ElementType element) {
  if (value.type.element == element) {
    return value;
  }
  TensorType type = {element, value.type.shape};
  bool jumps = value.isRounded && !isFloat(element);
  if (jumps) {
    return fresh(type);
  }
  Facts facts = madeOf({&value});
  if (value.isIntegral()) {
    // Integers that the type can't represent exactly are rounded to other integers. In small types,
    // integers that overflow saturate or become NaN.
    facts.bound = value.bound <= exactLimit(element) ? value.bound : -1;
    facts.mayBeNan |= facts.bound < 0;
  } else {
    facts.mayBeNan = true; // a conversion may overflow
  }
  if (isBoolean(element)) {
    facts.bound = 1;
  }
  if (exactLimit(element) == 0) {
    facts.bound = -1;
  }
  markUsed(value);
  return emit(
      type, "stablehlo.convert " + value.name + " : (" + value.type.text() + ") -> " + type.text(),
      facts);
}

Value Generator::reshape(Value value, const Shape &shape) {
  if (value.type.shape == shape) {
    return value;
  }
  TensorType type = {value.type.element, shape};
  return emit(
      type, "stablehlo.reshape " + value.name + " : (" + value.type.text() + ") -> " + type.text(),
      value.facts());
}

Value Generator::transpose(Value value, const std::vector<int64_t> &order) {
  TensorType type = {value.type.element, {}};
  for (int64_t from : order) {
    type.shape.push_back(value.type.shape[static_cast<size_t>(from)]);
  }
  return emit(type,
              "stablehlo.transpose " + value.name + ", dims = " + listText(order) + " : (" +
                  value.type.text() + ") -> " + type.text(),
              value.facts());
}

Value Generator::broadcast(Value value, const std::vector<int64_t> &dims, const Shape &shape) {
  TensorType type = {value.type.element, shape};
  return emit(type,
              "stablehlo.broadcast_in_dim " + value.name + ", dims = " + listText(dims) + " : (" +
                  value.type.text() + ") -> " + type.text(),
              value.facts());
}

Value Generator::slice(Value value, const Shape &starts, const Shape &limits,
                       const Shape &strides) {
  TensorType type = {value.type.element, {}};
  std::string ranges;
  for (size_t i = 0; i < starts.size(); ++i) {
    type.shape.push_back((limits[i] - starts[i] + strides[i] - 1) / strides[i]);
    ranges += (i ? ", " : "") + std::to_string(starts[i]) + ":" + std::to_string(limits[i]) +
              (strides[i] == 1 ? "" : ":" + std::to_string(strides[i]));
  }
  return emit(type,
              "stablehlo.slice " + value.name + " [" + ranges + "] : (" + value.type.text() +
                  ") -> " + type.text(),
              value.facts());
}

// Converts a value to a type and shape in one of several ways. If no other way is possible,
// broadcasts one element.
Value Generator::coerce(Value value, const TensorType &type) {
  if (value.isRounded && !isFloat(type.element)) {
    return fresh(type); // a new value of the wanted shape
  }
  value = convert(value, type.element);
  const Shape &from = value.type.shape, &to = type.shape;
  if (from == to) {
    return value;
  }
  Shape sortedFrom = from, sortedTo = to;
  std::sort(sortedFrom.begin(), sortedFrom.end());
  std::sort(sortedTo.begin(), sortedTo.end());
  if (sortedFrom == sortedTo && random.chance(70)) {
    // Finds the permutation that maps each size to a dimension of the same size.
    std::vector<int64_t> order;
    std::vector<bool> isTaken(from.size(), false);
    for (int64_t size : to) {
      for (size_t i = 0; i < from.size(); ++i) {
        if (!isTaken[i] && from[i] == size) {
          isTaken[i] = true;
          order.push_back(static_cast<int64_t>(i));
          break;
        }
      }
    }
    return transpose(value, order);
  }
  if (*elementCount(from) == *elementCount(to)) {
    return reshape(value, to);
  }
  // Keeps dimensions that have equal sizes in both shapes, in order. Other dimensions are sliced or
  // repeated.
  if (from.size() <= to.size() && !from.empty()) {
    std::vector<int64_t> dims;
    size_t next = 0;
    for (size_t j = 0; j < to.size() && next < from.size(); ++j) {
      if (from[next] == to[j] || from[next] == 1) {
        dims.push_back(static_cast<int64_t>(j));
        ++next;
      }
    }
    if (next == from.size()) {
      return broadcast(value, dims, to);
    }
  }
  if (from.size() == to.size()) {
    bool isLarger = true;
    for (size_t i = 0; i < to.size(); ++i) {
      isLarger &= from[i] >= to[i];
    }
    if (isLarger) {
      Shape starts, limits;
      for (size_t i = 0; i < to.size(); ++i) {
        starts.push_back(random.between(0, from[i] - to[i]));
        limits.push_back(starts.back() + to[i]);
      }
      return slice(value, starts, limits, Shape(to.size(), 1));
    }
  }
  if (*elementCount(from) > *elementCount(to) && *elementCount(from) <= maxElements) {
    Value flat = reshape(value, {*elementCount(from)});
    return reshape(slice(flat, {0}, {*elementCount(to)}, {1}), to);
  }
  if (*elementCount(from) == 0) {
    return fresh(type);
  }
  return broadcast(elementOf(value), {}, to);
}

Value Generator::elementOf(Value value) {
  if (value.type.shape.empty()) {
    return value;
  }
  Shape starts, limits;
  for (int64_t size : value.type.shape) {
    starts.push_back(random.between(0, size - 1));
    limits.push_back(starts.back() + 1);
  }
  return reshape(slice(value, starts, limits, Shape(starts.size(), 1)), {});
}

// Computes round(clamp(-limit, value, limit)), without the steps that are known to be redundant.
Value Generator::integers(Value value, double limit) {
  ElementType element = value.type.element;
  if (value.isIntegral() && value.bound <= limit) {
    return value;
  }
  limit = std::floor(std::min(limit, exactLimit(element)));
  if (!value.isIntegral()) {
    Facts facts = madeOf({&value});
    facts.mayBeNan |= isScale(element);
    value = emit(value.type,
                 "stablehlo.round_nearest_even " + value.name + " : " + value.type.text(), facts);
  }
  double least = isUnsigned(element) || isBoolean(element) ? 0 : -limit;
  Value low = scalar(element, least), high = scalar(element, limit);
  Facts facts = madeOf({&value}, limit);
  return emit(value.type,
              "stablehlo.clamp " + low.name + ", " + value.name + ", " + high.name + " : (" +
                  low.type.text() + ", " + value.type.text() + ", " + high.type.text() + ") -> " +
                  value.type.text(),
              facts);
}

} // namespace drumlin::fuzz
