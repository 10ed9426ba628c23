// A bound of a sum's rounding error.
#pragma once

#include "drumlin/support/ElementType.h"

#include <cstdint>
#include <string>

namespace drumlin {

// Returns half the distance from 1 to the next larger number of a float type.
double unitRoundoff(ElementType type);

struct SumBound {
  // The maximum number of rounded operations through which one element passes on its way into the
  // sum, including its own multiplication. Each of these operations contributes an error of at most
  // the unit roundoff of `type` times the sum of the elements' magnitudes. Joining the sums of
  // blocks may count as a fraction of one operation.
  double roundings = 0;
  ElementType type = ElementType::F32; // type of the accumulator
  int64_t terms = 0;                   // number of summed elements, at nominal sizes

  // Returns the bound in units of 2^-24 times the sum of the elements' magnitudes. It does not
  // include the rounding to a narrower result type.
  double units() const;
  // Returns a text such as `1000 terms: within 21 × 2^-24 of the sum of their magnitudes`.
  std::string str() const;
};

} // namespace drumlin
