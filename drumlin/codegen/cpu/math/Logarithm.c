// log, log1p, asinh, acosh and atanh.
//
// With x = 2^k m and m between sqrt(1/2) and sqrt(2), log(x) is k ln 2 + log(m) (W. J. Cody and W.
// Waite, "Software Manual for the Elementary Functions", 1980, chapter 5).
#include "Coefficients.h"
#include "LogarithmKernels.h"
#include "Vector.h"

#define INFINITY_F32 __builtin_inff()
#define INFINITY_F64 __builtin_inf()

// Replaces the results for zero, infinity, negative numbers and NaN.
DRUMLIN_INLINE v8d logSpecials(v8d result, v8d x) {
  result = select8(x == 0.0, (v8d)-INFINITY_F64, result);
  result = select8(x < 0.0, (v8d)__builtin_nan(""), result);
  return select8((x == INFINITY_F64) | (x != x), x, result);
}

DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(log_f32)(v16f x) {
  const uint32_t rootHalf = 0x3f3504f3u;
  v16i small = x < 0x1p-126f;
  v16u bits = bits16(select16(small, x * 0x1p24f, x)) - rootHalf;
  v16i exponent = (v16i)bits >> 23;
  v16f k = __builtin_convertvector(exponent, v16f);
  k = select16(small, k - 24.0f, k);
  v16f f = (v16f)((bits & 0x007fffffu) + rootHalf) - 1.0f;
  // log(1 + f) is f - f^2/2 + f^3 P(f). The sum of f and k times the first 15 bits of ln 2 is
  // computed exactly, as `high` + `low`.
  v16f square = f * f;
  v16f tail = multiplyAdd16(k, (v16f)0x1.7f7d1cp-20f,
                            square * multiplyAdd16(f, POLYNOMIAL16(f, kLogF32), (v16f)-0.5f));
  v16f first = k * 0x1.62e4p-1f;
  v16f high = first + f;
  v16f low = f - (high - first);
  v16f result = high + (low + tail);
  result = select16(x == 0.0f, (v16f)-INFINITY_F32, result);
  result = select16(x < 0.0f, (v16f)__builtin_nanf(""), result);
  return select16((x == INFINITY_F32) | (x != x), x, result);
}

DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(log_f64)(v8d x) {
  LogParts p = logParts(x);
  return logSpecials(logSum(p.k, p.m - 1.0, (v8d)0.0), x);
}

// Computes log(u), where u = 1 + x, and corrects the rounding error of u to first order. For u from
// 2 on, the correction is below the result's rounding error, and u - 1 is rounded, too, so there is
// no correction.
DRUMLIN_INLINE v8d log1pShort(v8d x) {
  v8d u = 1.0 + x;
  v8d lost = select8(u < 2.0, x - (u - 1.0), (v8d)0.0);
  v8d result = logShort(u) + lost;
  result = logSpecials(result, u);
  return (v8d)(bits8(result) | (sign8(x) & (v8ul)(x == 0.0)));
}
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(log1p_f32)(v16f x) {
  return THROUGH_DOUBLE(log1pShort, x);
}

// Returns log(1 + x + rest), where |rest| is at most a few rounding errors of x.
DRUMLIN_INLINE v8d log1pSum(v8d x, v8d rest) {
  v8d u = 1.0 + x;
  v8d lost = twoSum((v8d)1.0, x).low + rest;
  LogParts p = logParts(u);
  // If k is 0, f is x itself, without a rounding error. Otherwise the rounding error of 1 + x,
  // relative to u, is added to the correction.
  v8l plain = p.k == 0.0;
  v8d f = select8(plain, x, p.m - 1.0);
  v8d correction = select8(plain, rest, lost) / u;
  return logSpecials(logSum(p.k, f, correction), u);
}

DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(log1p_f64)(v8d x) {
  return select8(abs8(x) < 0x1p-60, x, log1pSum(x, (v8d)0.0));
}

// The inverse hyperbolic functions are computed as log(1 + u), where u is small near their zeros.
// Above 2^28, the 1 in x^2 +- 1 is below the rounding error, and asinh and acosh are log(2x).
DRUMLIN_INLINE v8d asinhArgument(v8d magnitude) {
  v8d square = magnitude * magnitude;
  return magnitude + square / (1.0 + __builtin_elementwise_sqrt(1.0 + square));
}
DRUMLIN_INLINE v8d acoshArgument(v8d x) {
  v8d above = x - 1.0;
  return above + __builtin_elementwise_sqrt(above * (above + 2.0));
}
// atanh(x) is half of log1p(2x / (1 - x)).
DRUMLIN_INLINE v8d atanhArgument(v8d magnitude) {
  v8d twice = magnitude + magnitude;
  v8d small = twice + twice * magnitude / (1.0 - magnitude);
  return select8(magnitude < 0.5, small, twice / (1.0 - magnitude));
}

DRUMLIN_INLINE v8d asinhShort(v8d x) {
  v8d magnitude = abs8(x);
  v8d result = log1pShort(asinhArgument(magnitude));
  result = select8(magnitude == INFINITY_F64, magnitude, result);
  return xorSign8(result, sign8(x));
}
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(asinh_f32)(v16f x) {
  return THROUGH_DOUBLE(asinhShort, x);
}

DRUMLIN_INLINE v8d acoshShort(v8d x) {
  return select8(x < 1.0, (v8d)__builtin_nan(""), log1pShort(acoshArgument(x)));
}
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(acosh_f32)(v16f x) {
  return THROUGH_DOUBLE(acoshShort, x);
}

DRUMLIN_INLINE v8d atanhShort(v8d x) {
  return xorSign8(0.5 * log1pShort(atanhArgument(abs8(x))), sign8(x));
}
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(atanh_f32)(v16f x) {
  return THROUGH_DOUBLE(atanhShort, x);
}

// Returns log(2x).
DRUMLIN_INLINE v8d logTwice(v8d x) {
  LogParts p = logParts(x);
  return logSpecials(logSum(p.k + 1.0, p.m - 1.0, (v8d)0.0), x);
}

DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(asinh_f64)(v8d x) {
  v8d magnitude = abs8(x);
  v8d near = DRUMLIN_MATH_NAME(log1p_f64)(asinhArgument(magnitude));
  near = select8(magnitude < 0x1p-28, magnitude, near);
  return xorSign8(select8(magnitude > 0x1p28, logTwice(magnitude), near), sign8(x));
}

// Returns acoshArgument(x) including the rounding errors of its operations, for 1 <= x <= 2^28.
DRUMLIN_INLINE DoubleDouble acoshArgumentDouble(v8d x) {
  DoubleDouble above = fastTwoSum(x, (v8d)-1.0);
  DoubleDouble factor = twoSum(above.high, (v8d)2.0);
  DoubleDouble square = twoProduct(above.high, factor.high);
  square.low += above.high * (factor.low + above.low) + above.low * factor.high;
  v8d root = __builtin_elementwise_sqrt(square.high);
  DoubleDouble back = twoProduct(root, root);
  v8d rest = (((square.high - back.high) - back.low) + square.low) / (root + root);
  rest = select8(root == 0.0, (v8d)0.0, rest);
  DoubleDouble sum = fastTwoSum(root, above.high);
  return (DoubleDouble){sum.high, sum.low + (rest + above.low)};
}

DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(acosh_f64)(v8d x) {
  DoubleDouble argument = acoshArgumentDouble(x);
  v8d near = log1pSum(argument.high, argument.low);
  v8d result = select8(x > 0x1p28, logTwice(x), near);
  return select8(x < 1.0, (v8d)__builtin_nan(""), result);
}

DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(atanh_f64)(v8d x) {
  v8d magnitude = abs8(x);
  v8d result = 0.5 * DRUMLIN_MATH_NAME(log1p_f64)(atanhArgument(magnitude));
  return xorSign8(select8(magnitude < 0x1p-28, magnitude, result), sign8(x));
}
