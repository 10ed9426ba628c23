// Compares two tensors that should be equal up to rounding, in units of the last place (ULPs) of
// their type: steps between neighbouring numbers. +0 equals -0, and NaN equals NaN.
#pragma once

#include "drumlin/support/Tensor.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

namespace drumlin {

// How far elements may differ. An element passes if it is within one of the two limits, `ulps` and
// `relative`. If neither is set, the type's defaultTolerance() applies.
struct CheckTolerance {
  // For floating-point types of 16 or more bits: |d| <= relative * (|e| + rms(e)), where d is the
  // difference and e is the expected value, as in support/NumericCompare.h.
  std::optional<double> relative;
  std::optional<int64_t> ulps; // for all floating-point types

  bool isGiven() const { return relative || ulps; }
};

// Returns a type's tolerance. Floating-point types may differ by 2 ULPs, or by a relative 1e-12
// (f64), 2e-5 (f32), 4e-3 (f16), 2e-2 (bf16). In types of 8 bits and fewer, 1 % of the elements
// (or one of them) may differ by one ULP. `factor` widens the relative tolerances.
CheckTolerance defaultTolerance(ElementType type, double factor = 1);

// The number of ULPs reported for an element if one of the two tensors has a NaN there and the
// other doesn't.
inline constexpr int64_t noUlps = std::numeric_limits<int64_t>::max();

struct ElementCheck {
  int64_t elements = 0;
  int64_t differing = 0; // elements that differ at all
  int64_t beyond = 0;    // elements that differ by more than the tolerance
  int64_t maxUlps = 0;   // the largest difference, in ULPs
  double maxRelative = 0;
  // `place`: the index of the first element beyond the tolerance, or else of the first element that
  // differs; -1 if all elements are equal. `ulps`: the difference of this element.
  int64_t place = -1, ulps = 0;
  double got = 0, expected = 0;
  bool diverges = false;

  // Returns `3 of 32 elements are beyond the tolerance, first at 5: got 1, expected 2, …`.
  std::string str() const;
};

// Compares two tensors of the same type and shape. If `isRounded`, 1 % of the integers and booleans
// (or one of them) may differ by one, since they were computed from floating-point numbers that may
// round to either side of a threshold. Otherwise, integers and booleans must be equal.
// `allowances`: how far each element may differ in addition to the tolerance; may be empty.
ElementCheck checkElements(const Tensor &got, const Tensor &expected,
                           const CheckTolerance &tolerance, bool isRounded, double factor = 1,
                           std::span<const double> allowances = {});

} // namespace drumlin
