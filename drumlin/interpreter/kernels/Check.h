// The criteria by which StableHLO's test programs compare what they compute with what they expect.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/Tensor.h"

#include <cstdint>

namespace drumlin::interpreter {

// NaN agrees with NaN, and zeros of both signs agree, under each criterion.
struct Check {
  enum class Kind : uint8_t {
    Equal,
    Near, // |got - expected| <= tolerance * max(1, |expected|)
    Steps // so many representable numbers lie between the two
  };
  Kind kind = Kind::Equal;
  double tolerance = 0;
  int64_t steps = 0;      // at most
  int64_t leastSteps = 0; // at least, for the element that is furthest off
};

// Complex numbers agree if both parts do. CheckFailed names the first element that doesn't.
Status compareWith(const Check &check, const Tensor &got, const Tensor &expected);

// How many representable numbers of a floating-point type lie from one to the other; the largest
// int64_t where only one is NaN or where infinities don't match.
int64_t stepsBetween(ElementType type, double a, double b);

} // namespace drumlin::interpreter
