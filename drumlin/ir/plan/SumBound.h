// How far a sum may lie from the exact one.
#pragma once

#include "drumlin/support/ElementType.h"

#include <cstdint>
#include <string>

namespace drumlin {

// Half of the distance from 1 to the next number of a float type.
double unitRoundoff(ElementType type);

struct SumBound {
  // The most additions that round a sum on the way of one term, or of a product that is one; each
  // changes it by the unit roundoff of `type` times the sum of the terms' magnitudes, at most. What
  // joining sums of blocks leaves is counted along, as a share of one.
  double roundings = 0;
  ElementType type = ElementType::F32; // in which the terms are added
  int64_t terms = 0;                   // at nominal sizes

  // Of 2^-24 of the sum of the terms' magnitudes, at most; but for the rounding to a narrower
  // result.
  double units() const;
  // `1000 terms: within 21 × 2^-24 of the sum of their magnitudes`
  std::string str() const;
};

} // namespace drumlin
