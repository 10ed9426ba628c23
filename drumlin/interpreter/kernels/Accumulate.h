// target[position] = body(target[position], value) for single elements, as scatters do it.
#pragma once

#include "drumlin/interpreter/kernels/Body.h"

namespace drumlin::interpreter {

// Combines elements into one target tensor by a body of one known operation. Made once per kernel
// run.
class ElementAccumulator {
public:
  // Nothing where the body isn't one known operation, or isn't defined for the type.
  static std::optional<ElementAccumulator> make(const ReductionBody &body, ElementType type);

  // Both pointers are to one element of the type.
  void operator()(std::byte *target, const std::byte *value) const { combine(type, target, value); }

private:
  using Combine = void (*)(ElementType type, std::byte *target, const std::byte *value);
  ElementAccumulator(Combine combine, ElementType type) : combine(combine), type(type) {}
  Combine combine;
  ElementType type;
};

} // namespace drumlin::interpreter
