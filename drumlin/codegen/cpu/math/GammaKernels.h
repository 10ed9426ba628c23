// lgamma of doubles as a double-double, for the functions that are built on it.
#pragma once

#include "Coefficients.h"
#include "LogarithmKernels.h"
#include "Vector.h"

#define HALF_LOG_TWO_PI ((DoubleDouble){(v8d)0x1.d67f1c864beb5p-1, (v8d) - 0x1.65b5a1b7ff5dfp-55})
// Stirling's series is used for arguments of at least this value.
#define SERIES_LIMIT 8.0

// The reduced argument u, in [-0.5, 0.5], for -0.5 < x < 8. lgamma(x) is lgamma(2 + u) +
// log(product) or, for x < 1.5, lgamma(2 + u) - log |product|.
typedef struct {
  v8d u;
  DoubleDouble product;
} LgammaPlace;

DRUMLIN_INLINE LgammaPlace lgammaPlace(v8d x) {
  v8l isTiny = x < 0.5, isSmall = x < 1.5;
  v8d t = select8(isSmall, (v8d)2.0, x);
  DoubleDouble product = asDouble((v8d)1.0);
#pragma clang loop unroll(full)
  for (int i = 0; i < 6; ++i) {
    v8l isAbove = t >= 2.5;
    t = select8(isAbove, t - 1.0, t);
    product = selectDouble(isAbove, timesPlain(product, t), product);
  }
  // gamma(2 + x) = x (1 + x) gamma(x); in the middle of the interval, one factor fewer suffices.
  DoubleDouble above = selectDouble(isTiny, timesPlain(twoSum((v8d)1.0, x), x), asDouble(x));
  product = selectDouble(isSmall, above, product);
  return (LgammaPlace){select8(isTiny, x, select8(isSmall, x - 1.0, t - 2.0)), product};
}

// Returns lgamma(x) for x > -0.5.
DRUMLIN_INLINE DoubleDouble lgammaRight(v8d x) {
  v8l isFar = x >= SERIES_LIMIT;
  LgammaPlace place = lgammaPlace(select8(isFar, (v8d)2.0, x));
  DoubleDouble argument = selectDouble(isFar, asDouble(x), place.product);
  DoubleDouble log = logOfSum(flipSign(argument, sign8(argument.high)));
  DoubleDouble polynomial = POLYNOMIAL_DOUBLE(asDouble(place.u), kLgamma);
  v8ul flip = (v8ul)(x < 1.5) & 0x8000000000000000ull;
  DoubleDouble near = addDouble(timesPlain(polynomial, place.u), flipSign(log, flip));
  // Stirling's series: (x - 1/2) log(x) - x + log(2 pi) / 2 + ...
  v8d bounded = clamp8(x, SERIES_LIMIT, 0x1p500), inverse = 1.0 / bounded;
  DoubleDouble far = multiplyDouble(twoSum(bounded, (v8d)-0.5), log);
  far = addDouble(addDouble(far, asDouble(-bounded)), HALF_LOG_TWO_PI);
  far.low += inverse * POLYNOMIAL8(inverse * inverse, kStirling);
  // For huge x, the other terms are below the rounding error.
  DoubleDouble huge = timesPlain(addDouble(log, asDouble((v8d)-1.0)), x * 0x1p-600);
  huge.high = (huge.high + huge.low) * 0x1p600;
  far = selectDouble(x > 0x1p500, asDouble(huge.high), far);
  return selectDouble(isFar, far, near);
}
