// exp, expm1, logistic, tanh, sinh and cosh.
//
// e^x is computed as 2^n e^r with n = round(x / ln 2) and a polynomial for e^r (W. J. Cody and W.
// Waite, "Software Manual for the Elementary Functions", 1980, chapter 6). The most important f32
// functions compute in f32.
#include "Coefficients.h"
#include "ExponentialKernels.h"
#include "Vector.h"

// e^x = 2^n (1 + r + r^2 q) with |r| < 0.35, for |x| < 110.
typedef struct {
  v16u power; // n in the lowest bits, the bits of ROUNDER_F32 above
  v16f r, q;
} ExpPartsF32;

DRUMLIN_INLINE ExpPartsF32 expPartsF32(v16f x) {
  v16f rounded = multiplyAdd16(x, (v16f)0x1.715476p+0f, (v16f)ROUNDER_F32);
  v16f n = rounded - ROUNDER_F32;
  // The first part of ln 2 has 15 bits, so its product with n is exact.
  v16f r = multiplyAdd16(n, (v16f)-0x1.62e4p-1f, x);
  r = multiplyAdd16(n, (v16f)-0x1.7f7d1cp-20f, r);
  return (ExpPartsF32){bits16(rounded), r, POLYNOMIAL16(r, kExpF32)};
}
// Returns 1 + r + r^2 q - high, where `high` is 1 + r rounded.
DRUMLIN_INLINE v16f expRest(ExpPartsF32 e, v16f high) {
  return multiplyAdd16(e.r * e.r, e.q, e.r - (high - 1.0f));
}
// Returns r + r^2 q.
DRUMLIN_INLINE v16f expTail(ExpPartsF32 e) { return multiplyAdd16(e.r * e.r, e.q, e.r); }

DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(exp_f32)(v16f x) {
  ExpPartsF32 e = expPartsF32(clamp16(x, -104.0f, 89.0f));
  // 2^n is applied as two factors, so that results with n = 128 and subnormal results are rounded
  // once.
  v16i n = (v16i)e.power - 0x4b400000;
  v16i half = n >> 1;
  v16f first = (v16f)((half << 23) + 0x3f800000);
  v16f second = (v16f)(((n - half) << 23) + 0x3f800000);
  // The rounding error of 1 + r is added to the small term.
  v16f high = 1.0f + e.r;
  return (high + expRest(e, high)) * first * second;
}

// Computes 1 / (1 + e^-x) as num / (1 + z) with z = e^-|x| and num = 1 or z, so that nothing
// overflows or cancels. The quotient is corrected by its residual, so that the rounding errors of z
// and 1 + z don't accumulate.
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(logistic_f32)(v16f x) {
  ExpPartsF32 e = expPartsF32(clamp16(-abs16(x), -104.0f, 0.0f));
  v16f high = 1.0f + e.r;
  v16f rest = expRest(e, high);
  v16f mantissa = high + rest;
  v16f mantissaLow = rest - (mantissa - high);
  v16i n = (v16i)e.power - 0x4b400000;
  // A z below 2^-100 doesn't affect the denominator. The bound keeps the power of two of z normal.
  v16i bounded = (n < -100) ? (v16i)-100 : n;
  v16f power = (v16f)((bounded << 23) + 0x3f800000);
  v16f z = mantissa * power;
  v16f den = 1.0f + z;
  v16f denLow = (z - (den - 1.0f)) + mantissaLow * power;
  v16i negative = x < 0.0f;
  v16f num = select16(negative, mantissa, (v16f)1.0f);
  v16f numLow = select16(negative, mantissaLow, (v16f)0.0f);
  v16f inverse = 1.0f / den;
  v16f quotient = num * inverse;
#if DRUMLIN_HAS_FMA
  v16f residual = multiplyAdd16(-quotient, den, num);
#else
  // The factors are split into halves of 12 bits, whose products are exact.
  v16f qh = (v16f)(bits16(quotient) & 0xfffff000u), dh = (v16f)(bits16(den) & 0xfffff000u);
  v16f ql = quotient - qh, dl = den - dh;
  v16f residual = (((num - qh * dh) - qh * dl) - ql * dh) - ql * dl;
#endif
  residual = residual + (numLow - quotient * denLow);
  quotient = multiplyAdd16(residual, inverse, quotient);
  v16i total = negative & n;
  v16i half = total >> 1;
  v16f first = (v16f)((half << 23) + 0x3f800000);
  v16f second = (v16f)(((total - half) << 23) + 0x3f800000);
  return quotient * first * second;
}

// Computes x + x^3 P(x^2) near zero, else 1 - 2 / (e^2x + 1), in which the quotient is below one
// half.
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(tanh_f32)(v16f x) {
  v16f magnitude = abs16(x);
  v16f square = x * x;
  v16f near = multiplyAdd16(magnitude * square, POLYNOMIAL16(square, kTanhF32), magnitude);
  v16f bounded = clamp16(magnitude, 0.0f, 9.5f);
  ExpPartsF32 e = expPartsF32(bounded + bounded);
  v16f power = (v16f)((e.power << 23) + 0x3f800000u);
  v16f far = 1.0f - 2.0f / (multiplyAdd16(power, expTail(e), power) + 1.0f);
  v16f result = select16(magnitude < 0.625f, near, far);
  return (v16f)(bits16(result) | sign16(x));
}

// Computes e^x - 1 = 2^n (1 + p) - 1 as 2^n p + (2^n - 1).
DRUMLIN_INLINE v8d expm1Short(v8d x) {
  v8d bounded = clamp8(x, -40.0, 100.0);
  v8d t = multiplyAdd8(bounded, (v8d)INVERSE_LN2, (v8d)ROUNDER_F64);
  v8d n = t - ROUNDER_F64;
  v8d r = (bounded - n * LN2_HIGH) - n * LN2_LOW;
  v8d p = multiplyAdd8(r * r, POLYNOMIAL8(r, kExpShort), r);
  v8d power = (v8d)((bits8(t) << 52) + 0x3ff0000000000000ull);
  v8d result = multiplyAdd8(power, p, power - 1.0);
  return (v8d)(bits8(result) | (sign8(x) & (v8ul)(x == 0.0)));
}
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(expm1_f32)(v16f x) {
  return THROUGH_DOUBLE(expm1Short, x);
}

DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(exp_f64)(v8d x) {
  ExpParts e = expParts(clamp8(x, -746.0, 710.0), (v8d)0.0);
  return scaleByPower8(roundedMantissa(e), e.n);
}

// Returns (e^x - 1) / 2 = (2^n (1 + r + c) - 1) / 2 for -45 < x < 711. The factor 1/2 makes 2^1024
// unnecessary.
DRUMLIN_INLINE DoubleDouble halfExpm1(v8d x) {
  ExpParts e = expParts(x, (v8d)0.0);
  v8d power = power8(e.n - 1.0);
  // For n = 0 the first term is zero; otherwise it is larger than the second term, so the sum is
  // exact. For n from 54 on, the first term itself is rounded.
  v8d first = power - 0.5;
  v8d lost = (power - first) - 0.5;
  DoubleDouble sum = fastTwoSum(first, power * e.r);
  return (DoubleDouble){sum.high, sum.low + (lost + power * e.c)};
}

DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(expm1_f64)(v8d x) {
  DoubleDouble half = halfExpm1(clamp8(x, -40.0, 710.0));
  v8d result = 2.0 * (half.high + half.low);
  // Tiny arguments are returned unchanged, because halving would lose the last bit of a subnormal
  // number.
  return select8(abs8(x) < 0x1p-60, x, result);
}

// Computes tanh(x) = E / (E + 2) with E = e^2x - 1.
DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(tanh_f64)(v8d x) {
  v8d magnitude = abs8(x);
  DoubleDouble half = halfExpm1(2.0 * clamp8(magnitude, 0.0, 20.0));
  DoubleDouble num = fastTwoSum(half.high, half.low);
  DoubleDouble den = twoSum((v8d)1.0, num.high);
  den.low += num.low;
  DoubleDouble quotient = divideDouble(num, den);
  v8d result = select8(magnitude < 0x1p-28, magnitude, quotient.high + quotient.low);
  return xorSign8(result, sign8(x));
}

// Computes the function as logistic_f32() does, but applies the numerator's power of two last.
DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(logistic_f64)(v8d x) {
  ExpParts e = expParts(clamp8(-abs8(x), -746.0, 0.0), (v8d)0.0);
  DoubleDouble mantissa = doubleMantissa(e);
  v8d power = power8(clamp8(e.n, -1000.0, 0.0));
  DoubleDouble den = twoSum((v8d)1.0, mantissa.high * power);
  den.low += mantissa.low * power;
  v8l negative = x < 0.0;
  DoubleDouble num = {select8(negative, mantissa.high, (v8d)1.0),
                      select8(negative, mantissa.low, (v8d)0.0)};
  DoubleDouble quotient = divideDouble(num, den);
  return scaleByPower8(quotient.high + quotient.low, select8(negative, e.n, (v8d)0.0));
}

// Computes sinh(|x|) = (E + E / (E + 1)) / 2 with E = e^|x| - 1; both terms are positive.
DRUMLIN_INLINE v8d sinhShort(v8d x) {
  v8d e = expm1Short(abs8(x));
  return xorSign8(0.5 * (e + e / (e + 1.0)), sign8(x));
}
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(sinh_f32)(v16f x) {
  return THROUGH_DOUBLE(sinhShort, x);
}

DRUMLIN_INLINE v8d coshShort(v8d x) {
  v8d e = expShort(clamp8(abs8(x), 0.0, 100.0));
  return 0.5 * (e + 1.0 / e);
}
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(cosh_f32)(v16f x) {
  return THROUGH_DOUBLE(coshShort, x);
}

// Returns e^x / 2 for x > 40, for which e^-x is below the rounding error. This overflows only for
// larger x than e^x does.
DRUMLIN_INLINE v8d halfExp(v8d x) {
  ExpParts e = expParts(clamp8(x, 0.0, 712.0), (v8d)0.0);
  return scaleByPower8(roundedMantissa(e), e.n - 1.0);
}

DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(sinh_f64)(v8d x) {
  v8d magnitude = abs8(x);
  DoubleDouble half = halfExpm1(clamp8(magnitude, 0.0, 40.0));
  half = fastTwoSum(half.high, half.low);
  DoubleDouble den = twoSum((v8d)1.0, 2.0 * half.high);
  den.low += 2.0 * half.low;
  DoubleDouble quotient = divideDouble(half, den);
  DoubleDouble sum = fastTwoSum(half.high, quotient.high);
  v8d near = sum.high + (sum.low + (quotient.low + half.low));
  v8d result = select8(magnitude < 0x1p-28, magnitude, near);
  result = select8(magnitude > 40.0, halfExp(magnitude), result);
  return xorSign8(result, sign8(x));
}

DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(cosh_f64)(v8d x) {
  v8d magnitude = abs8(x);
  ExpParts e = expParts(clamp8(magnitude, 0.0, 40.0), (v8d)0.0);
  DoubleDouble mantissa = doubleMantissa(e);
  v8d power = power8(e.n - 1.0);
  DoubleDouble half = {mantissa.high * power, mantissa.low * power};
  DoubleDouble inverse = divideDouble((DoubleDouble){(v8d)0.25, (v8d)0.0}, half);
  v8d near = half.high + (inverse.high + (inverse.low + half.low));
  return select8(magnitude > 40.0, halfExp(magnitude), near);
}
