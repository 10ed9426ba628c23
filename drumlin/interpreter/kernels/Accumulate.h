// Combines single elements, as scatters do: target[position] = body(target[position], value).
#pragma once

#include "drumlin/interpreter/kernels/Body.h"

namespace drumlin::interpreter {

// Combines elements into a target tensor if the body is one known operation. Created once per
// kernel run.
class ElementAccumulator {
public:
  // Returns nothing if the body isn't one known operation, or isn't defined for the type.
  static std::optional<ElementAccumulator> make(const ReductionBody &body, ElementType type);

  // Combines the element at `value` into the element at `target`. Both have the type that was given
  // to make().
  void operator()(std::byte *target, const std::byte *value) const { combine(type, target, value); }

private:
  using Combine = void (*)(ElementType type, std::byte *target, const std::byte *value);
  ElementAccumulator(Combine combine, ElementType type) : combine(combine), type(type) {}
  Combine combine;
  ElementType type;
};

} // namespace drumlin::interpreter
