// Vector types and the exact building blocks of the math functions.
//
// The functions are compiled once to LLVM bitcode and inlined into kernels of every x86-64 level,
// so this code uses only operations for which the oldest level has instructions. Other operations
// (some rounding, conversions, fused operations) would become library calls on that level.
// DRUMLIN_HAS_FMA selects the variant that may fuse.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef float v16f __attribute__((ext_vector_type(16)));
typedef float v8f __attribute__((ext_vector_type(8)));
typedef double v8d __attribute__((ext_vector_type(8)));
typedef int32_t v16i __attribute__((ext_vector_type(16)));
typedef uint32_t v16u __attribute__((ext_vector_type(16)));
typedef uint16_t v16us __attribute__((ext_vector_type(16)));
typedef uint8_t v16uc __attribute__((ext_vector_type(16)));
typedef int32_t v8i __attribute__((ext_vector_type(8)));
typedef uint32_t v8u __attribute__((ext_vector_type(8)));
typedef int64_t v8l __attribute__((ext_vector_type(8)));
typedef uint64_t v8ul __attribute__((ext_vector_type(8)));

// Symbols are drumlin_exp_f32 etc.; tests that link several variants give each variant its own
// prefix.
#ifndef DRUMLIN_MATH_PREFIX
#define DRUMLIN_MATH_PREFIX drumlin_
#endif
#define DRUMLIN_MATH_JOIN(prefix, name) prefix##name
#define DRUMLIN_MATH_EXPAND(prefix, name) DRUMLIN_MATH_JOIN(prefix, name)
#define DRUMLIN_MATH_NAME(name) DRUMLIN_MATH_EXPAND(DRUMLIN_MATH_PREFIX, name)

// Attributes of a function that kernels call, and of a helper. Both are inlined; only slow paths
// are called.
#define DRUMLIN_MATH_EXPORT __attribute__((always_inline))
#define DRUMLIN_INLINE static inline __attribute__((always_inline, unused))
// Attributes of a slow path. A slow path takes arrays, so that its calling convention is the same
// at every vector width.
#define DRUMLIN_SLOW_PATH static __attribute__((noinline, unused))
// Attributes of the body of a function that is too large to inline. The body's arguments and result
// are in memory, for the same reason as a slow path's.
#define DRUMLIN_BODY static __attribute__((noinline, unused))

// A double and its rounding error: their sum is the value.
typedef struct {
  v8d high, low;
} DoubleDouble;

#if DRUMLIN_HAS_FMA
DRUMLIN_INLINE v16f multiplyAdd16(v16f a, v16f b, v16f c) {
  return __builtin_elementwise_fma(a, b, c);
}
DRUMLIN_INLINE v8d multiplyAdd8(v8d a, v8d b, v8d c) { return __builtin_elementwise_fma(a, b, c); }
#else
DRUMLIN_INLINE v16f multiplyAdd16(v16f a, v16f b, v16f c) { return a * b + c; }
DRUMLIN_INLINE v8d multiplyAdd8(v8d a, v8d b, v8d c) { return a * b + c; }
#endif

// Reinterpret the bits of numbers as integers of the same width.
DRUMLIN_INLINE v16u bits16(v16f x) { return (v16u)x; }
DRUMLIN_INLINE v8ul bits8(v8d x) { return (v8ul)x; }

DRUMLIN_INLINE v16f select16(v16i mask, v16f yes, v16f no) { return mask ? yes : no; }
DRUMLIN_INLINE v16u selectBits16(v16i mask, v16u yes, v16u no) { return mask ? yes : no; }
DRUMLIN_INLINE v8d select8(v8l mask, v8d yes, v8d no) { return mask ? yes : no; }
DRUMLIN_INLINE bool any8(v8l mask) { return __builtin_reduce_or(mask) != 0; }

DRUMLIN_INLINE v16f abs16(v16f x) { return (v16f)(bits16(x) & 0x7fffffffu); }
DRUMLIN_INLINE v8d abs8(v8d x) { return (v8d)(bits8(x) & 0x7fffffffffffffffull); }
// Returns the sign bit of x.
DRUMLIN_INLINE v16u sign16(v16f x) { return bits16(x) & 0x80000000u; }
DRUMLIN_INLINE v8ul sign8(v8d x) { return bits8(x) & 0x8000000000000000ull; }
DRUMLIN_INLINE v16f xorSign16(v16f x, v16u sign) { return (v16f)(bits16(x) ^ sign); }
DRUMLIN_INLINE v8d xorSign8(v8d x, v8ul sign) { return (v8d)(bits8(x) ^ sign); }

// Clamp x to [low, high]. Unlike the corresponding builtins, they keep NaN.
DRUMLIN_INLINE v16f clamp16(v16f x, float low, float high) {
  x = select16(x > high, (v16f)high, x);
  return select16(x < low, (v16f)low, x);
}
DRUMLIN_INLINE v8d clamp8(v8d x, double low, double high) {
  x = select8(x > high, (v8d)high, x);
  return select8(x < low, (v8d)low, x);
}

// Returns the sum of c[i] x^i for i < n, by Horner's rule.
DRUMLIN_INLINE v16f polynomial16(v16f x, const float *c, int n) {
  v16f sum = c[n - 1];
#pragma clang loop unroll(full)
  for (int i = n - 2; i >= 0; --i) {
    sum = multiplyAdd16(sum, x, (v16f)c[i]);
  }
  return sum;
}
DRUMLIN_INLINE v8d polynomial8(v8d x, const double *c, int n) {
  v8d sum = c[n - 1];
#pragma clang loop unroll(full)
  for (int i = n - 2; i >= 0; --i) {
    sum = multiplyAdd8(sum, x, (v8d)c[i]);
  }
  return sum;
}
#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))
#define POLYNOMIAL16(x, table) polynomial16(x, table, COUNT(table))
#define POLYNOMIAL8(x, table) polynomial8(x, table, COUNT(table))

// Adding this constant to a small number rounds the number to an integer. The sum's lowest bits are
// then that integer.
#define ROUNDER_F32 0x1.8p23f
#define ROUNDER_F64 0x1.8p52

// Returns p * 2^n, multiplied in two steps, so that 2^n may be outside the type's range; n is an
// integer, n| < 2^10 for f64.
DRUMLIN_INLINE v8d scaleByPower8(v8d p, v8d n) {
  v8d t = n * 0.5 + ROUNDER_F64;
  v8d half = t - ROUNDER_F64;
  v8d rest = (n - half) + ROUNDER_F64;
  v8d first = (v8d)((bits8(t) << 52) + 0x3ff0000000000000ull);
  v8d second = (v8d)((bits8(rest) << 52) + 0x3ff0000000000000ull);
  return p * first * second;
}
// Returns 2^n for an integer n in the range of normal exponents.
DRUMLIN_INLINE v8d power8(v8d n) {
  return (v8d)((bits8(n + ROUNDER_F64) << 52) + 0x3ff0000000000000ull);
}

// Return a + b exactly: twoSum() for all numbers (Knuth), fastTwoSum() if |a| >= |b| or a = 0
// (Dekker).
DRUMLIN_INLINE DoubleDouble twoSum(v8d a, v8d b) {
  v8d sum = a + b;
  v8d part = sum - a;
  return (DoubleDouble){sum, (a - (sum - part)) + (b - part)};
}
DRUMLIN_INLINE DoubleDouble fastTwoSum(v8d a, v8d b) {
  v8d sum = a + b;
  return (DoubleDouble){sum, b - (sum - a)};
}

// Returns a * b exactly, unless the product underflows or a factor is above 2^995. Without FMA, it
// uses Dekker's splitting.
DRUMLIN_INLINE DoubleDouble twoProduct(v8d a, v8d b) {
  v8d product = a * b;
#if DRUMLIN_HAS_FMA
  return (DoubleDouble){product, __builtin_elementwise_fma(a, b, -product)};
#else
  v8d ta = a * 0x1.0000002p27, tb = b * 0x1.0000002p27;
  v8d ah = ta - (ta - a), bh = tb - (tb - b);
  v8d al = a - ah, bl = b - bh;
  return (DoubleDouble){product, ((ah * bh - product) + ah * bl + al * bh) + al * bl};
#endif
}

// Multiply and divide double-doubles. The relative error is about 2^-102 for products and about
// 2^-100 for quotients.
DRUMLIN_INLINE DoubleDouble multiplyDouble(DoubleDouble a, DoubleDouble b) {
  DoubleDouble p = twoProduct(a.high, b.high);
  return fastTwoSum(p.high, p.low + (a.high * b.low + a.low * b.high));
}
DRUMLIN_INLINE DoubleDouble divideDouble(DoubleDouble a, DoubleDouble b) {
  v8d quotient = a.high / b.high;
  DoubleDouble p = twoProduct(quotient, b.high);
  v8d rest = ((a.high - p.high) - p.low) + a.low - quotient * b.low;
  return (DoubleDouble){quotient, rest / b.high};
}

DRUMLIN_INLINE DoubleDouble addDouble(DoubleDouble a, DoubleDouble b) {
  DoubleDouble sum = twoSum(a.high, b.high);
  return fastTwoSum(sum.high, sum.low + (a.low + b.low));
}
DRUMLIN_INLINE DoubleDouble asDouble(v8d x) { return (DoubleDouble){x, (v8d)0.0}; }
DRUMLIN_INLINE DoubleDouble timesPlain(DoubleDouble a, v8d b) {
  return multiplyDouble(a, asDouble(b));
}
DRUMLIN_INLINE DoubleDouble flipSign(DoubleDouble x, v8ul sign) {
  return (DoubleDouble){xorSign8(x.high, sign), xorSign8(x.low, sign)};
}
DRUMLIN_INLINE DoubleDouble negated(DoubleDouble x) { return (DoubleDouble){-x.high, -x.low}; }
DRUMLIN_INLINE DoubleDouble selectDouble(v8l mask, DoubleDouble yes, DoubleDouble no) {
  return (DoubleDouble){select8(mask, yes.high, no.high), select8(mask, yes.low, no.low)};
}

// Returns the sum of c[i] x^i for i < n. The first m coefficients are double-doubles and are added
// as such, so that only the terms from x^m on contribute rounding errors.
DRUMLIN_INLINE DoubleDouble polynomialDouble(DoubleDouble x, const double *c, int n,
                                             const double *rest, int m) {
  DoubleDouble sum = asDouble(polynomial8(x.high, c + m, n - m));
#pragma clang loop unroll(full)
  for (int i = m - 1; i >= 0; --i) {
    sum = addDouble(multiplyDouble(sum, x), (DoubleDouble){(v8d)c[i], (v8d)rest[i]});
  }
  return sum;
}
#define POLYNOMIAL_DOUBLE(x, table)                                                                \
  polynomialDouble(x, table, COUNT(table), table##Low, COUNT(table##Low))

// Rounds a number x, 0 <= x < 2^52, to an integer.
DRUMLIN_INLINE v8d roundBelow2To52(v8d x) { return (x + 0x1p52) - 0x1p52; }
// Return whether the number with this magnitude is an integer (isInteger) or an odd integer
// (isOddInteger).
DRUMLIN_INLINE v8l isInteger(v8d magnitude) {
  return (magnitude >= 0x1p52) | (roundBelow2To52(magnitude) == magnitude);
}
DRUMLIN_INLINE v8l isOddInteger(v8d magnitude) {
  return isInteger(magnitude) & ~isInteger(magnitude * 0.5);
}
// Returns the signed distance of a number x >= 0 from the nearest integer; exact.
DRUMLIN_INLINE v8d distanceToInteger(v8d x) {
  return select8(x >= 0x1p52, (v8d)0.0, x - roundBelow2To52(x));
}

// Convert the halves of sixteen floats to doubles, and back with one rounding.
DRUMLIN_INLINE v8d lowHalf(v16f x) { return __builtin_convertvector(x.lo, v8d); }
DRUMLIN_INLINE v8d highHalf(v16f x) { return __builtin_convertvector(x.hi, v8d); }
DRUMLIN_INLINE v16f joinHalves(v8d low, v8d high) {
  v16f result;
  result.lo = __builtin_convertvector(low, v8f);
  result.hi = __builtin_convertvector(high, v8f);
  return result;
}
// Computes an f32 function in double, for accuracy.
#define THROUGH_DOUBLE(function, x) joinHalves(function(lowHalf(x)), function(highHalf(x)))
#define THROUGH_DOUBLE2(function, x, y)                                                            \
  joinHalves(function(lowHalf(x), lowHalf(y)), function(highHalf(x), highHalf(y)))
