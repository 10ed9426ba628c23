// The remainder of C's fmod: exactly x - y trunc(x / y), with the sign of x.
//
// If one division computes the integer quotient exactly, quotient times y is subtracted at once.
// Larger quotients are reduced in several such steps, with y scaled by a power of two, which
// doesn't change the remainder.
#include "Vector.h"

#define INFINITY_F64 __builtin_inf()

// Returns the exponent of a positive number as a double. For subnormals, returns the smallest
// normal exponent minus 1.
DRUMLIN_INLINE v8d exponentOf(v8d x) {
  return (v8d)((bits8(x) >> 52) | 0x4330000000000000ull) - (0x1p52 + 1023.0);
}

// Adds the sign and the special cases to results that were computed from the operands' magnitudes.
DRUMLIN_INLINE v8d remainderSpecials(v8d result, v8d x, v8d y) {
  v8d ax = abs8(x), ay = abs8(y);
  result = xorSign8(result, sign8(x));
  result = select8((ay == INFINITY_F64) & (ax < INFINITY_F64), x, result);
  v8l undefined = (ax == INFINITY_F64) | (ay == 0.0) | (x != x) | (y != y);
  return select8(undefined, (v8d)__builtin_nan(""), result);
}

// Computes the remainder of operands with 24 bits, for which the product of y and a quotient below
// 2^28 is exact.
DRUMLIN_INLINE v8d remainderShort(v8d x, v8d y) {
  v8l ordinary = (abs8(x) < INFINITY_F64) & (abs8(y) < INFINITY_F64) & (y != 0.0);
  v8d r = select8(ordinary, abs8(x), (v8d)0.0), divisor = select8(ordinary, abs8(y), (v8d)1.0);
  v8d exponent = exponentOf(divisor) + 26.0;
  do {
    v8d steps = clamp8(exponentOf(r) - exponent, 0.0, 1000.0);
    v8d scaled = divisor * power8(steps);
    r = r - roundBelow2To52(r / scaled) * scaled;
    r = select8(r < 0.0, r + scaled, r);
  } while (any8(r >= divisor));
  return remainderSpecials(r, x, y);
}
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(remainder_f32)(v16f x, v16f y) {
  return THROUGH_DOUBLE2(remainderShort, x, y);
}

// Quotients are up to 2^52. Their products with y are computed exactly, in two parts.
DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(remainder_f64)(v8d x, v8d y) {
  v8l ordinary = (abs8(x) < INFINITY_F64) & (abs8(y) < INFINITY_F64) & (y != 0.0);
  v8d r = select8(ordinary, abs8(x), (v8d)0.0), divisor = select8(ordinary, abs8(y), (v8d)1.0);
  v8l small = divisor < 0x1p-1022;
  v8d exponent = exponentOf(select8(small, divisor * 0x1p54, divisor)) + 51.0;
  exponent = select8(small, exponent - 54.0, exponent);
  do {
    v8d steps = clamp8(exponentOf(r) - exponent, 0.0, 2046.0);
    // Operands near the ends of the range are scaled, because products would overflow or lose their
    // low parts there.
    v8d scale = select8(r > 0x1p800, (v8d)0x1p-200, select8(r < 0x1p-700, (v8d)0x1p200, (v8d)1.0));
    v8d back = select8(r > 0x1p800, (v8d)0x1p200, select8(r < 0x1p-700, (v8d)0x1p-200, (v8d)1.0));
    v8d scaled = scaleByPower8(divisor, steps) * scale;
    v8d rest = r * scale;
    v8d quotient = select8(r < divisor, (v8d)0.0, roundBelow2To52(rest / scaled));
    DoubleDouble product = twoProduct(quotient, scaled);
    rest = (rest - product.high) - product.low;
    rest = select8(rest < 0.0, rest + scaled, rest);
    r = select8(r < divisor, r, rest * back);
  } while (any8(r >= divisor));
  return remainderSpecials(r, x, y);
}
