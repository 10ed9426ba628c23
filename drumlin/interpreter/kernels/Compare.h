// Comparisons of single values, shared by `compare`, the sorts and the window selections.
#pragma once

#include "drumlin/interpreter/kernels/Elements.h"
#include "drumlin/interpreter/kernels/EvaluateElementwise.h"

namespace drumlin::interpreter {

template <typename C> bool holds(ComparisonDirection direction, C a, C b) {
  if constexpr (isComplexValue<C>) {
    // Lexicographic: the real parts decide unless they are equal.
    if (direction == ComparisonDirection::EQ) {
      return a == b;
    }
    if (direction == ComparisonDirection::NE) {
      return a != b;
    }
    return a.real() == b.real() ? holds(direction, a.imag(), b.imag())
                                : holds(direction, a.real(), b.real());
  } else {
    switch (direction) {
    case ComparisonDirection::EQ:
      return a == b;
    case ComparisonDirection::NE:
      return a != b;
    case ComparisonDirection::GE:
      return a >= b;
    case ComparisonDirection::GT:
      return a > b;
    case ComparisonDirection::LE:
      return a <= b;
    case ComparisonDirection::LT:
      return a < b;
    }
    return false;
  }
}

// Returns an integer key for an element. The keys of two elements have the order that IEEE 754's
// totalOrder gives the elements. For negative elements the order of the bit patterns is reversed.
inline int64_t totalOrderKey(const Tensor &tensor, int64_t position) {
  const ElementTypeInfo &description = info(tensor.type());
  uint64_t pattern = 0;
  std::memcpy(&pattern, tensor.data() + position * description.storageBytes,
              description.storageBytes);
  if (description.specials == FloatSpecials::ScaleOnly) {
    return static_cast<int64_t>(pattern);
  }
  // Sign-extends from the format's own sign bit.
  int64_t key = wrap(static_cast<int64_t>(pattern), description.bits);
  if (description.specials == FloatSpecials::Unsigned0 &&
      pattern == uint64_t{1} << (description.bits - 1)) {
    // The only NaN of these formats has the bit pattern that other formats use for negative zero.
    return int64_t{1} << (description.bits - 1);
  }
  return key < 0 ? static_cast<int64_t>(static_cast<uint64_t>(key) ^ (~uint64_t{0} >> 1)) : key;
}

} // namespace drumlin::interpreter
