// erf, erfc and the inverse of erf.
//
// Near zero erf(x) = x + x P(x^2). Elsewhere erfc(x) = e^(-x^2) Q(t) / (1 + 2x) with t = (x - 2) /
// (x + 2): the scaled function is nearly constant, and with this mapping a polynomial converges on
// the whole range (M. M. Shepherd and J. G. Laframboise, "Chebyshev Approximation of (1 + 2x)
// exp(x^2) erfc x in 0 <= x < infinity", Mathematics of Computation 36, 1981).
#include "Coefficients.h"
#include "ExponentialKernels.h"
#include "LogarithmKernels.h"
#include "Vector.h"

// For |x| below 1, computes the polynomial. For larger |x|, computes 1 - 2^Q(|x| - 1), where Q
// approximates log2(erfc). The shift by 1 keeps the terms of Q small where erfc is largest.
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(erf_f32)(v16f x) {
  v16f magnitude = abs16(x);
  v16f square = x * x;
  v16f near = multiplyAdd16(magnitude, POLYNOMIAL16(square, kErfF32), magnitude);
  v16f exponent = POLYNOMIAL16(clamp16(magnitude, 1.0f, 3.95f) - 1.0f, kLogErfcF32);
  v16f rounded = exponent + ROUNDER_F32;
  v16f r = exponent - (rounded - ROUNDER_F32);
  v16f p = multiplyAdd16(r, POLYNOMIAL16(r, kExp2F32), (v16f)1.0f);
  v16f far = 1.0f - (v16f)(bits16(p) + (bits16(rounded) << 23));
  v16f result = select16(magnitude < 1.0f, near, far);
  result = select16(x != x, x, result);
  return (v16f)(bits16(result) | sign16(x));
}

DRUMLIN_INLINE v8d erfcShort(v8d x) {
  v8d magnitude = clamp8(abs8(x), 0.0, 10.2);
  v8d square = magnitude * magnitude;
  v8d near = 1.0 - multiplyAdd8(x, POLYNOMIAL8(square, kErfShort), x);
  v8d t = (magnitude - 2.0) / (magnitude + 2.0);
  v8d far = expShort(-square) * POLYNOMIAL8(t, kErfcxShort) / (magnitude + magnitude + 1.0);
  far = select8(x < 0.0, 2.0 - far, far);
  return select8(magnitude < 0.5, near, far);
}
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(erfc_f32)(v16f x) {
  return THROUGH_DOUBLE(erfcShort, x);
}

// e^(-x^2) = gaussian * 2^n and erfc(x) = ratio * 2^n for 0.5 <= x <= 27.5.
typedef struct {
  v8d n;
  DoubleDouble gaussian, ratio;
} ErfcParts;

DRUMLIN_INLINE ErfcParts erfcParts(v8d x) {
  DoubleDouble square = twoProduct(x, x);
  ExpParts e = expParts(-square.high, -square.low);
  ErfcParts parts;
  parts.n = e.n;
  parts.gaussian = doubleMantissa(e);
  v8d t = (x - 2.0) / (x + 2.0);
  DoubleDouble q =
      fastTwoSum((v8d)kErfcxF64[0], t * polynomial8(t, kErfcxF64 + 1, COUNT(kErfcxF64) - 1));
  q.low += kErfcxF64Low[0];
  DoubleDouble num = twoProduct(parts.gaussian.high, q.high);
  num.low += multiplyAdd8(parts.gaussian.high, q.low, parts.gaussian.low * q.high);
  parts.ratio = divideDouble(num, twoSum((v8d)1.0, x + x));
  return parts;
}

DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(erf_f64)(v8d x) {
  v8d magnitude = abs8(x);
  v8d near = multiplyAdd8(magnitude, POLYNOMIAL8(x * x, kErfF64), magnitude);
  // For magnitudes from 6 on, the result is 1.
  ErfcParts parts = erfcParts(clamp8(magnitude, 0.5, 6.0));
  v8d power = power8(parts.n);
  DoubleDouble far = fastTwoSum((v8d)1.0, -(parts.ratio.high * power));
  v8d result = select8(magnitude < 0.5, near, far.high + (far.low - parts.ratio.low * power));
  return xorSign8(result, sign8(x));
}

DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(erfc_f64)(v8d x) {
  v8d magnitude = abs8(x);
  v8d near = 1.0 - multiplyAdd8(x, POLYNOMIAL8(x * x, kErfF64), x);
  v8l negative = x < 0.0;
  ErfcParts parts = erfcParts(clamp8(magnitude, 0.5, 27.4));
  v8d positive = scaleByPower8(parts.ratio.high + parts.ratio.low, parts.n);
  v8d far = select8(negative, 2.0 - positive, positive);
  return select8(magnitude < 0.5, near, far);
}

// Replaces the results of the inverse at the ends of its domain and outside of it.
DRUMLIN_INLINE v8d erfInvSpecials(v8d result, v8d magnitude, v8d x) {
  result = select8(magnitude == 1.0, (v8d)__builtin_inf(), result);
  result = select8(magnitude > 1.0, (v8d)__builtin_nan(""), result);
  return xorSign8(select8(x != x, x, result), sign8(x));
}

// Computes the inverse by polynomials in w = -log(1 - y^2) and in sqrt(w) (M. Giles, "Approximating
// the erfinv function", GPU Computing Gems 2, 2012), with our own coefficients.
DRUMLIN_INLINE v8d erfInvShort(v8d x) {
  v8d y = abs8(x);
  v8d w = -logShort((1.0 - y) * (1.0 + y));
  v8d center = POLYNOMIAL8(w, kErfInvCenter);
  v8d tail = POLYNOMIAL8(__builtin_elementwise_sqrt(w), kErfInvTailShort);
  return erfInvSpecials(y * select8(w < 6.0, center, tail), y, x);
}
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(erf_inv_f32)(v16f x) {
  return THROUGH_DOUBLE(erfInvShort, x);
}

// Computes a first guess g with at least 21 bits by the same kind of polynomials. Then makes one
// step of Halley's iteration on erf or, where erf is near 1, on erfc: with u = (erf(g) - y) /
// erf'(g), the result is g - u / (1 + g u).
DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(erf_inv_f64)(v8d x) {
  v8d y = abs8(x);
  v8d w = -logShort((1.0 - y) * (1.0 + y));
  v8d center = POLYNOMIAL8(w, kErfInvCenter);
  v8d tail = POLYNOMIAL8(__builtin_elementwise_sqrt(w), kErfInvTail);
  v8d guess = y * select8(w < 6.0, center, tail);
  v8d square = guess * guess;
  v8l near = guess < 0.5;
  v8d nearError = multiplyAdd8(guess, POLYNOMIAL8(square, kErfF64), guess - y);
  ErfcParts parts = erfcParts(clamp8(guess, 0.5, 6.0));
  v8d power = power8(parts.n);
  v8d farError = ((1.0 - y) - parts.ratio.high * power) - parts.ratio.low * power;
  // The derivative is 2/sqrt(pi) e^(-g^2). Its relative error hardly matters for g near zero, where
  // the argument of erfcParts() is clamped, so expShort() is used there.
  v8d gaussian = select8(near, expShort(-square), parts.gaussian.high * power);
  v8d u = select8(near, nearError, farError) / (gaussian * 0x1.20dd750429b6dp+0);
  v8d result = guess - u / multiplyAdd8(guess, u, (v8d)1.0);
  return erfInvSpecials(result, y, x);
}
