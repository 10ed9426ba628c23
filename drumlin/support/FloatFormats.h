// Exact conversions between the binary floating-point element types and double.
//
// Every format of ElementType.def is decoded and encoded by one routine that reads the format's
// widths, bias and special bit patterns from that table, so a format is right when its line there
// is. Sources: IEEE 754-2019; OCP 8-bit Floating Point Specification (OFP8) rev 1.0; OCP
// Microscaling Formats (MX) rev 1.0. Where those leave the overflow of a conversion open, the
// answers are those of the `ml_dtypes` package, which the frameworks that write our programs use:
//   Ieee        overflow rounds to infinity
//   FiniteOnly  infinities and overflow become NaN
//   Unsigned0   infinities and overflow become NaN, negative zero becomes zero
//   None        infinities and overflow saturate, NaN becomes zero (there: a zero with the opposite
//   sign;
//               but the sign of a NaN is the processor's choice, and would show)
//   ScaleOnly   zero, negative numbers and overflow become NaN; positive numbers below the least
//   one become that one;
//               halfway cases go to the larger number, because a significand without fraction bits
//               is always odd
#pragma once

#include "drumlin/support/ElementType.h"

#include <cstddef>
#include <cstdint>

namespace drumlin {

// The value of one element of a Boolean, integer or floating-point type, in Tensor.h's storage.
// 64-bit integers round to nearest even; all other values are exact.
double toDouble(ElementType type, const std::byte *element);

// The value of a floating-point type's bit pattern (in the low bits), exact. A NaN is a quiet NaN
// with the bit pattern's sign.
double decode(ElementType type, uint64_t pattern);

// The bit pattern of `value` in a floating-point type: rounded once, to nearest even, with
// subnormals.
uint64_t encode(ElementType type, double value);

// The value that `value` has once stored as `type`.
double roundTo(ElementType type, double value);

// The same for runs of `count` elements in storage.
void decodeRun(ElementType type, const std::byte *source, double *target, int64_t count);
void encodeRun(ElementType type, const double *source, std::byte *target, int64_t count);

// The largest finite value of a floating-point type.
double largestFinite(ElementType type);

// Whether `wide` has every value of `narrow`, so that a conversion to it changes nothing and may be
// undone: -0 counts as 0. Of Booleans, integers and floating-point types; a complex type has its
// own values alone.
bool holdsAll(ElementType wide, ElementType narrow);

// A double from which every shorter format rounds as if from `value` itself: the bits that don't
// fit are kept as one sticky bit (rounding to odd), which is enough wherever the target has at
// least two bits fewer than double.
double stickyDouble(int64_t value);
double stickyDouble(uint64_t value);

} // namespace drumlin
