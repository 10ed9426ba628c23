// Exact conversions between the binary floating-point element types and double.
//
// One routine decodes and encodes every format of ElementType.def; it reads the format's widths,
// bias and special bit patterns from that table, so a format is correct if its line there is.
// Sources: IEEE 754-2019; OCP 8-bit Floating Point Specification (OFP8) rev 1.0; OCP Microscaling
// Formats (MX) rev 1.0. Where these specifications don't define the overflow of a conversion,
// results are those of the `ml_dtypes` package, which the frameworks that write our programs use:
//   Ieee        overflow rounds to infinity
//   FiniteOnly  infinities and overflow become NaN
//   Unsigned0   infinities and overflow become NaN, negative zero becomes zero
//   None        infinities and overflow saturate, NaN becomes zero (in ml_dtypes, a zero with the
//               opposite sign; here always +0, since the sign of a NaN depends on the processor)
//   ScaleOnly   zero, negative numbers and overflow become NaN; positive numbers below the smallest
//               become the smallest; halfway cases round up, because a significand without fraction
//               bits is always odd
#pragma once

#include "drumlin/support/ElementType.h"

#include <cstddef>
#include <cstdint>

namespace drumlin {

// Returns the value of one element of a Boolean, integer or floating-point type, stored as Tensor.h
// says. 64-bit integers round to nearest even; all other values are exact.
double toDouble(ElementType type, const std::byte *element);

// Returns the exact value of a floating-point type's bit pattern (in the low bits). A NaN becomes a
// quiet NaN with the bit pattern's sign.
double decode(ElementType type, uint64_t pattern);

// Returns the bit pattern of `value` in a floating-point type: rounded once, to nearest even, with
// subnormals.
uint64_t encode(ElementType type, double value);

// Returns `value` rounded to `type`, as a double.
double roundTo(ElementType type, double value);

// Decode and encode `count` consecutive elements.
void decodeRun(ElementType type, const std::byte *source, double *target, int64_t count);
void encodeRun(ElementType type, const double *source, std::byte *target, int64_t count);

// Returns the largest finite value of a floating-point type.
double largestFinite(ElementType type);

// Whether `wide` has every value of `narrow`, so that a conversion to it is exact and reversible;
// -0 counts as 0. For Booleans, integers and floating-point types; a complex type only has every
// value of itself.
bool holdsAll(ElementType wide, ElementType narrow);

// Returns a double that rounds to every narrower format as `value` itself does: the bits that don't
// fit are combined into one sticky bit (rounding to odd), which suffices if the target has at least
// two bits fewer than double.
double stickyDouble(int64_t value);
double stickyDouble(uint64_t value);

} // namespace drumlin
