// pow, sqrt, rsqrt and cbrt.
#include "Coefficients.h"
#include "ExponentialKernels.h"
#include "LogarithmKernels.h"
#include "Vector.h"

#define INFINITY_F64 __builtin_inf()

// Completes `result`, which is |x|^y for finite, nonzero x, with the sign and the special cases of
// C's pow (C17 F.10.4.4).
DRUMLIN_INLINE v8d powSpecials(v8d result, v8d x, v8d y) {
  v8d base = abs8(x), magnitude = abs8(y);
  v8l grows = y > 0.0;
  result = select8(base == 0.0, select8(grows, (v8d)0.0, (v8d)INFINITY_F64), result);
  result = select8(base == INFINITY_F64, select8(grows, (v8d)INFINITY_F64, (v8d)0.0), result);
  v8l integer = isInteger(magnitude);
  v8l odd = isOddInteger(magnitude);
  result = xorSign8(result, sign8(x) & (v8ul)odd);
  v8l undefined = (x < 0.0) & (base != INFINITY_F64) & ~integer;
  result = select8(undefined, (v8d)__builtin_nan(""), result);
  result = select8((x != x) | (y != y), x + y, result);
  return select8((x == 1.0) | (y == 0.0), (v8d)1.0, result);
}

// Computes e^(y log x). log x has about 66 bits, and its product with y is exact.
DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(pow_f64)(v8d x, v8d y) {
  DoubleDouble log = logDouble(abs8(x));
  // If |y| is above 2^70, every power except that of 1 overflows or underflows.
  v8d bounded = clamp8(y, -0x1p70, 0x1p70);
  DoubleDouble product = twoProduct(bounded, log.high);
  product.low = multiplyAdd8(bounded, log.low, product.low);
  v8l outside = ~(abs8(product.high) < 760.0);
  v8d high = clamp8(product.high, -760.0, 760.0);
  ExpParts e = expParts(high, select8(outside, (v8d)0.0, product.low));
  return powSpecials(scaleByPower8(roundedMantissa(e), e.n), x, y);
}

DRUMLIN_INLINE v8d powShort(v8d x, v8d y) {
  v8d product = clamp8(clamp8(y, -0x1p70, 0x1p70) * logShort(abs8(x)), -200.0, 200.0);
  return powSpecials(expShort(product), x, y);
}
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(pow_f32)(v16f x, v16f y) {
  return THROUGH_DOUBLE2(powShort, x, y);
}

DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(sqrt_f32)(v16f x) {
  return __builtin_elementwise_sqrt(x);
}
DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(sqrt_f64)(v8d x) { return __builtin_elementwise_sqrt(x); }

// Computes 1 / sqrt(x) and corrects the rounding errors of both operations. With s near sqrt(x) and
// y near 1 / s, the result is y (1 + (1 - s y) - (x - s^2) y^2 / 2) up to second-order terms. The
// hardware's estimate isn't used, so that all processors give the same results.
#if DRUMLIN_HAS_FMA
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(rsqrt_f32)(v16f x) {
  // For x below this limit, the residual of the square would be subnormal.
  v16i small = x < 0x1p-90f;
  v16f scaled = select16(small, x * 0x1p60f, x);
  v16f s = __builtin_elementwise_sqrt(scaled);
  v16f y = 1.0f / s;
  v16f inverseError = multiplyAdd16(-s, y, (v16f)1.0f);
  v16f squareError = multiplyAdd16(-s, s, scaled);
  v16f correction = multiplyAdd16(squareError * y, -0.5f * y, inverseError);
  v16f result = multiplyAdd16(y, correction, y);
  result = select16(small, result * 0x1p30f, result);
  return select16((x == 0.0f) | (x == __builtin_inff()), y, result);
}
#else
DRUMLIN_INLINE v8d rsqrtShort(v8d x) { return 1.0 / __builtin_elementwise_sqrt(x); }
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(rsqrt_f32)(v16f x) {
  return THROUGH_DOUBLE(rsqrtShort, x);
}
#endif
DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(rsqrt_f64)(v8d x) {
  v8l small = x < 0x1p-500, large = x > 0x1p500;
  v8d scaled = select8(small, x * 0x1p512, select8(large, x * 0x1p-512, x));
  v8d s = __builtin_elementwise_sqrt(scaled);
  v8d y = 1.0 / s;
  DoubleDouble inverse = twoProduct(s, y), square = twoProduct(s, s);
  v8d inverseError = (1.0 - inverse.high) - inverse.low;
  v8d squareError = (scaled - square.high) - square.low;
  v8d result = multiplyAdd8(y, multiplyAdd8(squareError * y, -0.5 * y, inverseError), y);
  result = result * select8(small, (v8d)0x1p256, select8(large, (v8d)0x1p-256, (v8d)1.0));
  return select8((x == 0.0) | (x == INFINITY_F64), y, result);
}

// cbrt(m 2^(3q + t)) is 2^q cbrt(2^t) cbrt(m). A polynomial gives 16 bits of cbrt(m). One step of
// Halley's iteration, y (y^3 + 2a) / (2 y^3 + a), triples the number of correct bits.
typedef struct {
  v8d root;   // about 48 bits
  v8d scaled; // the radicand, between 1 and 8
  v8d third;  // q
} CbrtParts;

DRUMLIN_INLINE CbrtParts cbrtParts(v8d magnitude) {
  v8l small = magnitude < 0x1p-1022;
  v8ul bits = bits8(select8(small, magnitude * 0x1p54, magnitude));
  v8d exponent = (v8d)((bits >> 52) | 0x4330000000000000ull) - (0x1p52 + 1023.0);
  // q = floor(exponent / 3) is computed by rounding (exponent - 1) / 3 to nearest, which has no
  // ties.
  v8d q = multiplyAdd8(exponent - 1.0, (v8d)(1.0 / 3.0), (v8d)ROUNDER_F64) - ROUNDER_F64;
  v8d t = exponent - 3.0 * q;
  v8d m = (v8d)((bits & 0x000fffffffffffffull) | 0x3ff0000000000000ull);
  v8d root = POLYNOMIAL8(m, kCbrt);
  v8l one = t == 1.0, two = t == 2.0;
  root = root *
         select8(two, (v8d)0x1.965fea53d6e3dp+0, select8(one, (v8d)0x1.428a2f98d728bp+0, (v8d)1.0));
  v8d scaled = m * select8(two, (v8d)4.0, select8(one, (v8d)2.0, (v8d)1.0));
  v8d cube = root * root * root;
  root = root * (cube + (scaled + scaled)) / (cube + (cube + scaled));
  return (CbrtParts){root, scaled, select8(small, q - 18.0, q)};
}
DRUMLIN_INLINE v8d cbrtFinish(v8d result, v8d third, v8d x) {
  result = result * power8(third);
  result = select8((x == 0.0) | (abs8(x) == INFINITY_F64) | (x != x), abs8(x), result);
  return (v8d)(bits8(result) | sign8(x));
}

DRUMLIN_INLINE v8d cbrtShort(v8d x) {
  CbrtParts p = cbrtParts(abs8(x));
  return cbrtFinish(p.root, p.third, x);
}
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(cbrt_f32)(v16f x) {
  return THROUGH_DOUBLE(cbrtShort, x);
}

DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(cbrt_f64)(v8d x) {
  CbrtParts p = cbrtParts(abs8(x));
  // Computes the residual of the cube exactly enough for one step of Newton's iteration.
  DoubleDouble square = twoProduct(p.root, p.root);
  DoubleDouble cube = twoProduct(square.high, p.root);
  v8d residual = (cube.high - p.scaled) + (cube.low + square.low * p.root);
  return cbrtFinish(p.root - residual / (3.0 * square.high), p.third, x);
}
