// Two tensors that ought to be equal up to rounding, compared in units of the last place (ULPs) of
// their type: steps between neighbouring numbers. Both zeros are one number, NaN equals NaN.
#pragma once

#include "drumlin/support/Tensor.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

namespace drumlin {

// How far elements may lie apart. An element passes by either measure; where neither is given, the
// type decides (defaultTolerance).
struct CheckTolerance {
  // Floating-point types of 16 bits and more: |d| <= relative * (|e| + rms(e)), as
  // support/NumericCompare.h has it.
  std::optional<double> relative;
  std::optional<int64_t> ulps; // all floating-point types

  bool isGiven() const { return relative || ulps; }
};

// What a type allows: 2 ULPs for floating-point numbers, or relative 1e-12 (f64), 2e-5 (f32), 4e-3
// (f16), 2e-2 (bf16). Types of 8 bits and fewer may be one ULP apart in one of a hundred elements,
// or in one. `factor` widens the relative ones.
CheckTolerance defaultTolerance(ElementType type, double factor = 1);

// An element that is NaN on one side only is this many ULPs away.
inline constexpr int64_t noUlps = std::numeric_limits<int64_t>::max();

struct ElementCheck {
  int64_t elements = 0;
  int64_t differing = 0; // other numbers, however near
  int64_t beyond = 0;    // further apart than the tolerance
  int64_t maxUlps = 0;   // over all elements
  double maxRelative = 0;
  // The first element beyond, else the first that differs; -1 where all are equal.
  int64_t place = -1, ulps = 0;
  double got = 0, expected = 0;
  bool diverges = false;

  // `3 of 32 elements are beyond the tolerance, first at 5: got 1, expected 2, 812 ULPs apart; …`
  std::string str() const;
};

// Both of one type and shape. `isRounded`: integers and booleans that were computed from
// floating-point numbers, which may be a step apart where those are just so on either side of a
// threshold; else they have to be equal.
// `allowances`: how far each element may lie apart whatever the tolerance says; empty for none.
ElementCheck checkElements(const Tensor &got, const Tensor &expected,
                           const CheckTolerance &tolerance, bool isRounded, double factor = 1,
                           std::span<const double> allowances = {});

} // namespace drumlin
