// The Hurwitz zeta function, and polygamma, which is computed from it.
//
// zeta(x, q) is the sum of (q + k)^-x over k >= 0. The first terms are added directly, the others
// are summed by the Euler-Maclaurin formula (F. Johansson, "Rigorous high-precision computation of
// the Hurwitz zeta function and its derivatives", Numerical Algorithms 69, 2015). Terms are
// computed as e^(offset - x log(q + k)) with a common power of two, so that no intermediate result,
// neither a factorial nor a tiny term, leaves the range of doubles.
#include "Coefficients.h"
#include "ExponentialKernels.h"
#include "GammaKernels.h"
#include "LogarithmKernels.h"
#include "Vector.h"

#define INFINITY_F64 __builtin_inf()
// For exponents beyond this limit, every power except that of 1 overflows or underflows.
#define POWER_LIMIT 0x1p70
#define DIRECT_TERMS 10
// For q from this limit on, the first term of the formula is the sum, to the last bit of a double.
#define FAR_LIMIT 0x1p60

// The number mantissa * 2^n.
typedef struct {
  DoubleDouble mantissa;
  v8d n;
} Scaled;

// Returns e^(offset + power log(base)).
DRUMLIN_INLINE Scaled scaledPower(DoubleDouble base, v8d power, DoubleDouble offset) {
  DoubleDouble log = logOfSum(base);
  DoubleDouble product = twoProduct(power, log.high);
  product.low = multiplyAdd8(power, log.low, product.low);
  DoubleDouble exponent = addDouble(offset, product);
  v8d high = clamp8(exponent.high, -0x1p19, 0x1p19);
  ExpParts e = expParts(high, select8(high == exponent.high, exponent.low, (v8d)0.0));
  return (Scaled){doubleMantissa(e), e.n};
}
// Returns the number m for which m 2^n equals x.
DRUMLIN_INLINE DoubleDouble mantissaFor(Scaled x, v8d n) {
  v8d scale = power8(clamp8(x.n - n, -1000.0, 100.0));
  return (DoubleDouble){x.mantissa.high * scale, x.mantissa.low * scale};
}
DRUMLIN_INLINE v8d unscaled(Scaled x) {
  return scaleByPower8(x.mantissa.high + x.mantissa.low, clamp8(x.n, -2020.0, 2020.0));
}

// The coefficients B(2k) / (2k)! of the Euler-Maclaurin formula.
static const double kEulerMaclaurin[] = {
    0x1.5555555555555p-4,   -0x1.6c16c16c16c17p-10, 0x1.1566abc011567p-15,
    -0x1.bbd779334ef0bp-21, 0x1.66a8f2bf70ebep-26,  -0x1.22805d644267fp-31,
    0x1.d6db2c4e09162p-37,  -0x1.7da4e1f79955cp-42, 0x1.355871d652e9ep-47,
};

typedef struct {
  v8d x;
  DoubleDouble q, offset;
} ZetaArguments;

// Computes e^offset zeta(x, q) for 1 < x <= POWER_LIMIT and q > 0.
DRUMLIN_BODY void zetaOfPositive(const ZetaArguments *arguments, Scaled *result) {
  v8d x = arguments->x;
  DoubleDouble q = arguments->q, offset = arguments->offset;
  v8l isFar = q.high > FAR_LIMIT;
  Scaled first = scaledPower(q, select8(isFar, 1.0 - x, -x), offset);
  DoubleDouble sum = first.mantissa, base = q, power = first.mantissa;
#pragma clang loop unroll(disable)
  for (int k = 1; k <= DIRECT_TERMS; ++k) {
    base = twoSum(q.high, (v8d)(double)k);
    base = fastTwoSum(base.high, base.low + q.low);
    power = mantissaFor(scaledPower(base, -x, offset), first.n);
    // Only half of the last term is added: this is a correction of the Euler-Maclaurin formula.
    double share = k < DIRECT_TERMS ? 1.0 : 0.5;
    sum = addDouble(sum, (DoubleDouble){power.high * share, power.low * share});
  }
  DoubleDouble integral = divideDouble(multiplyDouble(power, base), asDouble(x - 1.0));
  sum = addDouble(sum, fastTwoSum(integral.high, integral.low));
  // For an x larger than the bound, the power is so small that the series ends at once; the bound
  // keeps factors from overflowing.
  v8d order = clamp8(x, 1.0, 0x1p50), inverse = 1.0 / base.high, square = inverse * inverse;
  v8d factor = power.high * order * inverse, series = (v8d)0.0;
#pragma clang loop unroll(disable)
  for (int k = 0; k < COUNT(kEulerMaclaurin); ++k) {
    series = multiplyAdd8((v8d)kEulerMaclaurin[k], factor, series);
    factor = factor * ((order + (2.0 * k + 1.0)) * (order + (2.0 * k + 2.0)) * square);
  }
  sum = fastTwoSum(sum.high, sum.low + series);
  DoubleDouble far = divideDouble(first.mantissa, asDouble(x - 1.0));
  *result = (Scaled){selectDouble(isFar, far, sum), first.n};
}

DRUMLIN_INLINE Scaled zetaAt(v8d x, DoubleDouble q, DoubleDouble offset) {
  ZetaArguments arguments = {x, q, offset};
  Scaled result;
  zetaOfPositive(&arguments, &result);
  return result;
}

// Returns e^offset zeta(x, q). q may be negative if q isn't an integer and x is one. Let r = q + m
// be the base nearest to zero. The sum then consists of r^-x, the terms after it, zeta(x, 1 + r),
// and the m terms before it, (-1)^x (zeta(x, 1 - r) - zeta(x, m + 1 - r)).
DRUMLIN_INLINE v8d zetaOfBoth(v8d x, v8d q, DoubleDouble offset, v8l isOdd) {
  v8l isLeft = q < 0.0;
  v8d magnitude = abs8(q), r = -distanceToInteger(magnitude);
  // If |r| is 1/2 and x is odd, each negative term cancels with a positive one.
  v8l isHalf = isLeft & isOdd & (abs8(r) == 0.5);
  DoubleDouble beyond = twoSum((v8d)1.0, magnitude);
  v8d one = (v8d)1.0;
  Scaled value = zetaAt(x, selectDouble(isLeft, beyond, asDouble(q)), offset);
  v8l isReflected = isLeft & ~isHalf;
  if (any8(isReflected)) {
    Scaled first = scaledPower(asDouble(abs8(r)), -x, offset);
    Scaled above = zetaAt(x, twoSum(one, r), offset), below = zetaAt(x, twoSum(one, -r), offset);
    v8ul minus = (v8ul)isOdd & 0x8000000000000000ull;
    DoubleDouble others =
        addDouble(mantissaFor(below, first.n), negated(mantissaFor(value, first.n)));
    others = addDouble(mantissaFor(above, first.n), flipSign(others, minus));
    DoubleDouble nearest = flipSign(first.mantissa, minus & sign8(r));
    // If the nearest term overflows, the whole sum overflows.
    DoubleDouble sum = selectDouble(first.n > 3000.0, nearest, addDouble(nearest, others));
    value.mantissa = selectDouble(isReflected, sum, value.mantissa);
    value.n = select8(isReflected, first.n, value.n);
  }
  return unscaled(value);
}

// Replaces the results at poles and outside of the domain, which depend on whether x is an integer.
DRUMLIN_INLINE v8d zetaSpecials(v8d value, v8d x, v8d q, v8l isIntegral, v8l isOdd) {
  v8d nan = (v8d)__builtin_nan("");
  v8l isPole = (q <= 0.0) & isInteger(abs8(q));
  value = select8(isPole, select8(isIntegral & ~isOdd, (v8d)INFINITY_F64, nan), value);
  value = select8((q < 0.0) & ~isIntegral, nan, value);
  v8l isOutside = (q != q) | (q == INFINITY_F64) | ~(x > 1.0) | (x == INFINITY_F64);
  return select8(x == 1.0, (v8d)INFINITY_F64, select8(isOutside, nan, value));
}

DRUMLIN_BODY void zetaF64(const v8d *x, const v8d *q, v8d *result) {
  v8l isIntegral = isInteger(abs8(*x)), isOdd = isOddInteger(abs8(*x));
  v8d value = zetaOfBoth(clamp8(*x, 1.0, POWER_LIMIT), *q, asDouble((v8d)0.0), isOdd);
  *result = zetaSpecials(value, *x, *q, isIntegral, isOdd);
}
DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(zeta_f64)(v8d x, v8d q) {
  v8d result;
  zetaF64(&x, &q, &result);
  return result;
}
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(zeta_f32)(v16f x, v16f q) {
  return THROUGH_DOUBLE2(DRUMLIN_MATH_NAME(zeta_f64), x, q);
}

v8d DRUMLIN_MATH_NAME(digamma_f64)(v8d x);

// Computes (-1)^(n + 1) n! zeta(n + 1, x) for n > 0, digamma(x) for n = 0.
DRUMLIN_BODY void polygammaF64(const v8d *order, const v8d *argument, v8d *result) {
  v8d n = *order, x = *argument, value = (v8d)0.0;
  v8l isOdd = isOddInteger(n);
  // For n from 2^64 on, n + 1 is treated as equal to n, as in a long double, whose mantissa has 64
  // bits.
  v8l isNextOdd = ~isOdd & (n < 0x1p64);
  if (any8(n != 0.0)) {
    v8d next = clamp8(n, 0.0, POWER_LIMIT) + 1.0;
    // If n is above the limit, log(n!) is multiplied by limit / n.
    DoubleDouble offset = lgammaRight(next);
    v8d inProportion = POWER_LIMIT * (logDouble(clamp8(n, 1.0, 0x1.fffffffffffffp1023)).high - 1.0);
    offset = selectDouble(n > POWER_LIMIT, asDouble(inProportion), offset);
    value = zetaOfBoth(next, x, offset, isNextOdd);
    value = zetaSpecials(value, n + 1.0, x, isInteger(n), isNextOdd);
    value = xorSign8(value, ~(v8ul)isOdd & 0x8000000000000000ull);
  }
  if (any8(n == 0.0)) {
    value = select8(n == 0.0, DRUMLIN_MATH_NAME(digamma_f64)(x), value);
  }
  *result = select8((n >= 0.0) & isInteger(n), value, (v8d)__builtin_nan(""));
}
DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(polygamma_f64)(v8d n, v8d x) {
  v8d result;
  polygammaF64(&n, &x, &result);
  return result;
}
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(polygamma_f32)(v16f n, v16f x) {
  return THROUGH_DOUBLE2(DRUMLIN_MATH_NAME(polygamma_f64), n, x);
}
