// The criteria by which StableHLO's test programs compare their results with the expected results.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/Tensor.h"

#include <cstdint>

namespace drumlin::interpreter {

// A criterion. Under each, NaN agrees with NaN, and +0 agrees with -0.
struct Check {
  enum class Kind : uint8_t {
    Equal,
    Near, // |got - expected| <= tolerance * max(1, |expected|)
    Steps // the numbers are at most `steps` representable numbers apart
  };
  Kind kind = Kind::Equal;
  double tolerance = 0;
  int64_t steps = 0;      // maximum distance of any element
  int64_t leastSteps = 0; // the largest distance must be at least this
};

// Compares two tensors; a complex number agrees if its real and imaginary parts do. CheckFailed
// names the first element that doesn't agree.
Status compareWith(const Check &check, const Tensor &got, const Tensor &expected);

// Returns the distance of two numbers, counted in representable numbers of a floating-point type.
// Returns the largest int64_t if only one of the numbers is NaN or if infinities don't match.
int64_t stepsBetween(ElementType type, double a, double b);

} // namespace drumlin::interpreter
