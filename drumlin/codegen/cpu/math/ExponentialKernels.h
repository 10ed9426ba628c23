// e^x of doubles, as a sum of several numbers (ExpParts), for the functions that are built on it.
#pragma once

#include "Coefficients.h"
#include "Vector.h"

// ln 2 as a sum of two numbers. The first has 32 bits, so that its products with exponents are
// exact.
#define LN2_HIGH 0x1.62e42feep-1
#define LN2_LOW 0x1.a39ef35793c76p-33
#define INVERSE_LN2 0x1.71547652b82fep+0

// The number 2^n (1 + r + c), with |r| < 0.35 and c much smaller than r.
typedef struct {
  v8d n, r, c;
} ExpParts;

// Returns e^(x + low) for |x| < 2^10 and |low| far below |x|. The relative error is about 2^-58.
DRUMLIN_INLINE ExpParts expParts(v8d x, v8d low) {
  v8d n = multiplyAdd8(x, (v8d)INVERSE_LN2, (v8d)ROUNDER_F64) - ROUNDER_F64;
  v8d high = x - n * LN2_HIGH;
  v8d rest = low - n * LN2_LOW;
  v8d r = high + rest;
  v8d rLow = (high - r) + rest;
  v8d c = multiplyAdd8(r * r, POLYNOMIAL8(r, kExpF64), multiplyAdd8(rLow, r, rLow));
  return (ExpParts){n, r, c};
}

// Returns 1 + r + c, rounded once.
DRUMLIN_INLINE v8d roundedMantissa(ExpParts e) {
  DoubleDouble sum = fastTwoSum((v8d)1.0, e.r);
  return sum.high + (sum.low + e.c);
}
// Returns 1 + r + c with a precision of about 58 bits.
DRUMLIN_INLINE DoubleDouble doubleMantissa(ExpParts e) {
  DoubleDouble sum = fastTwoSum((v8d)1.0, e.r);
  return fastTwoSum(sum.high, sum.low + e.c);
}

// Returns e^x with a relative error of 2^-34, enough for results in f32; |x| < 700.
DRUMLIN_INLINE v8d expShort(v8d x) {
  v8d t = multiplyAdd8(x, (v8d)INVERSE_LN2, (v8d)ROUNDER_F64);
  v8d n = t - ROUNDER_F64;
  v8d r = (x - n * LN2_HIGH) - n * LN2_LOW;
  v8d p = multiplyAdd8(r * r, POLYNOMIAL8(r, kExpShort), r) + 1.0;
  return (v8d)(bits8(p) + (bits8(t) << 52));
}
