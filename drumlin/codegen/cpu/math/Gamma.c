// lgamma = log |gamma| and its derivative, digamma.
//
// The recurrence moves the argument to an interval of length one. There, a polynomial with the
// function's zeros as factors approximates the function (W. J. Cody and K. E. Hillstrom, "Chebyshev
// Approximations for the Natural Logarithm of the Gamma Function", Mathematics of Computation 21,
// 1967; W. J. Cody, A. J. Strecok and H. C. Thacher, "Chebyshev Approximations for the Psi
// Function", ibid. 27, 1973). For arguments from 8 on, Stirling's series is shorter (Abramowitz and
// Stegun 6.1.41 and 6.3.18). Negative arguments are reflected (6.1.17 and 6.3.7). The f64 functions
// compute in double-doubles, so that the absolute error at the zeros below zero, where the
// reflection's terms cancel, is far below a double's.
#include "Coefficients.h"
#include "GammaKernels.h"
#include "LogarithmKernels.h"
#include "Vector.h"

#define INFINITY_F64 __builtin_inf()

// Computes lgamma(x). For x < -0.5, it is -log(|x| |r| sin(pi r) / (pi r)) - lgamma(|x|), where r
// is the distance of x from the nearest integer.
DRUMLIN_BODY void lgammaF64(const v8d *argument, v8d *result) {
  v8d x = *argument, magnitude = abs8(x);
  v8l isLeft = x < -0.5;
  DoubleDouble right = lgammaRight(select8(isLeft, magnitude, x));
  v8d value = right.high + right.low;
  if (any8(isLeft)) {
    v8d r = distanceToInteger(magnitude);
    DoubleDouble sine = POLYNOMIAL_DOUBLE(twoProduct(r, r), kSinPi);
    DoubleDouble log = logOfSum(multiplyDouble(twoProduct(magnitude, abs8(r)), sine));
    DoubleDouble sum = addDouble(log, right);
    value = select8(isLeft, -(sum.high + sum.low), value);
    value = select8(isLeft & (r == 0.0), (v8d)INFINITY_F64, value);
  }
  value = select8(magnitude == INFINITY_F64, magnitude, value);
  value = select8(x == 0.0, (v8d)INFINITY_F64, value);
  *result = select8(x != x, x, value);
}
DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(lgamma_f64)(v8d x) {
  v8d result;
  lgammaF64(&x, &result);
  return result;
}

// Computes lgammaRight() in plain doubles.
DRUMLIN_INLINE v8d lgammaRightShort(v8d x) {
  v8l isFar = x >= SERIES_LIMIT;
  LgammaPlace place = lgammaPlace(select8(isFar, (v8d)2.0, x));
  v8d log = logShort(abs8(select8(isFar, x, place.product.high)));
  v8d near = multiplyAdd8(place.u, POLYNOMIAL8(place.u, kLgamma), select8(x < 1.5, -log, log));
  v8d inverse = 1.0 / clamp8(x, SERIES_LIMIT, 0x1p500);
  v8d far = (x - 0.5) * log - x + 0x1.d67f1c864beb5p-1 +
            inverse * POLYNOMIAL8(inverse * inverse, kStirling);
  return select8(isFar, far, near);
}
DRUMLIN_INLINE v8d lgammaShort(v8d x) {
  v8d magnitude = abs8(x), r = distanceToInteger(magnitude);
  v8l isLeft = x < -0.5;
  v8d right = lgammaRightShort(select8(isLeft, magnitude, x));
  v8d left = -logShort(magnitude * abs8(r) * POLYNOMIAL8(r * r, kSinPi)) - right;
  v8d value = select8(isLeft, select8(r == 0.0, (v8d)INFINITY_F64, left), right);
  value = select8((magnitude == INFINITY_F64) | (x == 0.0), (v8d)INFINITY_F64, value);
  return select8(x != x, x, value);
}
DRUMLIN_BODY void lgammaF32(const v16f *x, v16f *result) {
  *result = THROUGH_DOUBLE(lgammaShort, *x);
}
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(lgamma_f32)(v16f x) {
  v16f result;
  lgammaF32(&x, &result);
  return result;
}

// The positive zero of digamma, as a sum of two parts.
#define ROOT_HIGH 0x1.762d86356be3fp+0
#define ROOT_LOW 0x1.b86a722197829p-54
// For arguments of smaller magnitude than this, digamma is -1/x. The reflection would overflow for
// these arguments.
#define DIGAMMA_TINY 0x1p-60

// For 0 < x < 8, digamma(x) = (1.5 + u - root) P(u) + num / den.
typedef struct {
  v8d u;
  DoubleDouble fromRoot, num, den;
} DigammaPlace;

DRUMLIN_INLINE DigammaPlace digammaPlace(v8d x) {
  v8l isSmall = x < 1.0;
  v8d t = select8(isSmall, (v8d)1.0, x);
  DoubleDouble num = asDouble((v8d)0.0), den = asDouble((v8d)1.0);
#pragma clang loop unroll(full)
  for (int i = 0; i < 6; ++i) {
    v8l isAbove = t >= 2.0;
    t = select8(isAbove, t - 1.0, t);
    num = selectDouble(isAbove, addDouble(timesPlain(num, t), den), num);
    den = selectDouble(isAbove, timesPlain(den, t), den);
  }
  num = selectDouble(isSmall, asDouble((v8d)-1.0), num);
  den = selectDouble(isSmall, asDouble(x), den);
  DoubleDouble fromRoot =
      twoSum(select8(isSmall, x, t), select8(isSmall, (v8d)(1.0 - ROOT_HIGH), (v8d)-ROOT_HIGH));
  fromRoot = fastTwoSum(fromRoot.high, fromRoot.low - ROOT_LOW);
  return (DigammaPlace){select8(isSmall, x - 0.5, t - 1.5), fromRoot, num, den};
}

DRUMLIN_INLINE DoubleDouble digammaRight(v8d x) {
  v8l isFar = x >= SERIES_LIMIT;
  DigammaPlace place = digammaPlace(select8(isFar, (v8d)1.5, x));
  DoubleDouble polynomial = POLYNOMIAL_DOUBLE(asDouble(place.u), kDigamma);
  DoubleDouble near =
      addDouble(multiplyDouble(place.fromRoot, polynomial), divideDouble(place.num, place.den));
  // Stirling's series: log(x) - 1 / (2x) - ...
  v8d bounded = clamp8(x, SERIES_LIMIT, 0x1p500);
  DoubleDouble half = divideDouble(asDouble((v8d)0.5), asDouble(bounded));
  v8d square = 4.0 * half.high * half.high;
  DoubleDouble far =
      addDouble(logDouble(clamp8(x, SERIES_LIMIT, 0x1.fffffffffffffp1023)), negated(half));
  far.low -= square * POLYNOMIAL8(square, kDigammaFar);
  return selectDouble(isFar, far, near);
}

// Replaces the results for infinity, poles and NaN, and near zero.
DRUMLIN_INLINE v8d digammaSpecials(v8d value, v8d x) {
  v8d magnitude = abs8(x);
  value = select8(magnitude < DIGAMMA_TINY, -1.0 / x, value);
  value = select8(x == INFINITY_F64, x, value);
  v8l isPole = (x <= 0.0) & isInteger(magnitude);
  return select8(isPole | (x != x), (v8d)__builtin_nan(""), value);
}

// Computes digamma(x); for negative x, it is digamma(|x|) + 1 / |x| + pi cot(pi |x|).
DRUMLIN_BODY void digammaF64(const v8d *argument, v8d *result) {
  v8d x = *argument, magnitude = abs8(x);
  v8l isLeft = x < 0.0;
  DoubleDouble right = digammaRight(magnitude);
  v8d value = right.high + right.low;
  if (any8(isLeft)) {
    v8d r = distanceToInteger(magnitude);
    DoubleDouble scaled = POLYNOMIAL_DOUBLE(twoProduct(r, r), kCotPi);
    DoubleDouble sum = addDouble(divideDouble(asDouble((v8d)1.0), asDouble(magnitude)),
                                 divideDouble(scaled, asDouble(r)));
    sum = addDouble(sum, right);
    value = select8(isLeft, sum.high + sum.low, value);
  }
  *result = digammaSpecials(value, x);
}
DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(digamma_f64)(v8d x) {
  v8d result;
  digammaF64(&x, &result);
  return result;
}

DRUMLIN_INLINE v8d digammaShort(v8d x) {
  v8d magnitude = abs8(x);
  v8l isFar = magnitude >= SERIES_LIMIT;
  DigammaPlace place = digammaPlace(select8(isFar, (v8d)1.5, magnitude));
  v8d near = multiplyAdd8(place.fromRoot.high, POLYNOMIAL8(place.u, kDigamma),
                          place.num.high / place.den.high);
  v8d bounded = clamp8(magnitude, SERIES_LIMIT, 0x1p500);
  v8d inverse = 1.0 / bounded, square = inverse * inverse;
  v8d far = logShort(bounded) - (0.5 * inverse + square * POLYNOMIAL8(square, kDigammaFar));
  v8d right = select8(isFar, far, near);
  v8d r = distanceToInteger(magnitude);
  v8d left = right + (1.0 / magnitude + POLYNOMIAL8(r * r, kCotPi) / r);
  return digammaSpecials(select8(x < 0.0, left, right), x);
}
DRUMLIN_BODY void digammaF32(const v16f *x, v16f *result) {
  *result = THROUGH_DOUBLE(digammaShort, *x);
}
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(digamma_f32)(v16f x) {
  v16f result;
  digammaF32(&x, &result);
  return result;
}
