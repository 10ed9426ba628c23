// log(x) of doubles, as a double or a double-double, for the functions that are built on it.
#pragma once

#include "Coefficients.h"
#include "ExponentialKernels.h"
#include "Vector.h"

// The number x = 2^k m, with m between sqrt(1/2) and sqrt(2).
typedef struct {
  v8d k, m;
} LogParts;

// Splits a positive, finite x, which may be subnormal.
DRUMLIN_INLINE LogParts logParts(v8d x) {
  const uint64_t rootHalf = 0x3fe6a09e667f3bcdull, one = 0x3ff0000000000000ull;
  v8l small = x < 0x1p-1022;
  v8ul bits = bits8(select8(small, x * 0x1p54, x)) - rootHalf + one;
  // Putting the exponent into the lowest bits of a double of magnitude 2^52 avoids a conversion
  // from an integer.
  v8d biased = (v8d)((bits >> 52) | 0x4330000000000000ull);
  v8d k = biased - (0x1p52 + 1023.0);
  k = select8(small, k - 54.0, k);
  v8d m = (v8d)((bits & 0x000fffffffffffffull) + rootHalf);
  return (LogParts){k, m};
}

// Returns log(x) with an absolute error of about 2^-51 and a relative error of 2^-44, for f32
// results.
DRUMLIN_INLINE v8d logShort(v8d x) {
  LogParts p = logParts(x);
  v8d f = p.m - 1.0;
  v8d s = f / (f + 2.0);
  v8d z = s * s;
  v8d log = multiplyAdd8(s * z, POLYNOMIAL8(z, kAtanhShort), s + s);
  return multiplyAdd8(p.k, (v8d)0x1.62e42fefa39efp-1, log);
}

// Returns k ln 2 + log(1 + f) + correction, where log(1 + f) = f - f^2/2 + s (f^2/2 + z P(z)), s =
// f / (2 + f), z = s^2. f is exact, and all terms that are rounded are small compared with f.
DRUMLIN_INLINE v8d logSum(v8d k, v8d f, v8d correction) {
  v8d s = f / (f + 2.0);
  v8d z = s * s;
  v8d halfSquare = 0.5 * f * f;
  v8d tail = s * multiplyAdd8(z, POLYNOMIAL8(z, kAtanhF64), halfSquare);
  DoubleDouble high = fastTwoSum(k * LN2_HIGH, f);
  return high.high + (high.low + (multiplyAdd8(k, (v8d)LN2_LOW, tail + correction) - halfSquare));
}

// Returns log(x) with a relative error of about 2^-66, for pow; x is positive and finite.
DRUMLIN_INLINE DoubleDouble logDouble(v8d x) {
  LogParts p = logParts(x);
  v8d f = p.m - 1.0;
  DoubleDouble s = divideDouble((DoubleDouble){f, (v8d)0.0}, fastTwoSum((v8d)2.0, f));
  s = fastTwoSum(s.high, s.low);
  DoubleDouble z = multiplyDouble(s, s);
  // u is the sum of the series 2/3 + 2/5 z + ...
  DoubleDouble u = fastTwoSum((v8d)0x1.5555555555555p-1, z.high * POLYNOMIAL8(z.high, kAtanhLong));
  u.low += 0x1.5555555555555p-55;
  DoubleDouble cubic = multiplyDouble(multiplyDouble(s, z), u);
  DoubleDouble m = fastTwoSum(2.0 * s.high, cubic.high);
  m.low += 2.0 * s.low + cubic.low;
  DoubleDouble sum = fastTwoSum(p.k * LN2_HIGH, m.high);
  v8d low = sum.low + multiplyAdd8(p.k, (v8d)LN2_LOW, m.low);
  return fastTwoSum(sum.high, low);
}

// Returns log(x.high + x.low) with an error similar to that of logDouble().
DRUMLIN_INLINE DoubleDouble logOfSum(DoubleDouble x) {
  DoubleDouble log = logDouble(x.high);
  return fastTwoSum(log.high, log.low + x.low / x.high);
}
