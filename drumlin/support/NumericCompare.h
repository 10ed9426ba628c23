// Compares a program's results with the expected ones.
//
// Integers and booleans must be equal. A floating-point element with d = got - expected passes if
//   |d| <= r * (|e| + rms(e)),    rms(e) = the root mean square of all finite expected elements
// so that an element near zero in a tensor of large elements isn't compared relative to its own
// size. NaN equals NaN, infinities must match in sign. The real and imaginary parts of a complex
// number are separate elements; |e| is the number's modulus for both. Floating-point types of up to
// 8 bits are compared by their bit patterns, as steps between neighbouring numbers.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/Tensor.h"

#include <cstdint>
#include <string>

namespace drumlin {

struct CompareOptions {
  double relativeTolerance = 1e-5; // the r of the formula above
  // For floating-point types of up to 8 bits: how many bit patterns apart two elements may be, and
  // which fraction of all elements must be equal.
  int64_t codeTolerance = 1;
  double equalShare = 0.9;
};

struct Comparison {
  ElementType type = ElementType::F32;
  int64_t elements = 0;
  int64_t equal = 0;      // elements that are equal as numbers, or both NaN
  int64_t mismatches = 0; // elements beyond their tolerance
  // Row-major indices; -1: none. The worst mismatch is the one furthest beyond its tolerance.
  int64_t firstMismatch = -1;
  int64_t worstMismatch = -1;
  // Values at these indices; the real part of a complex number.
  double firstGot = 0, firstExpected = 0;
  double worstGot = 0, worstExpected = 0;
  // The largest |d| / (|e| + rms(e)) over all elements, including passing ones; infinity if NaN or
  // an infinity has no match.
  double maxRelativeError = 0;
  double rms = 0;
  int64_t maxPatternDistance = 0; // only floating-point types of up to 8 bits
  bool matches = true;

  // Returns one line: `3 of 4096 elements differ, first at 17: got 1, expected 2; …`.
  std::string str() const;
};

// Fails with ArrayTypeMismatch if the types or shapes differ.
Result<Comparison> compare(const Tensor &got, const Tensor &expected,
                           const CompareOptions &options);

} // namespace drumlin
