// Computes e^-|x| I1(x), the scaled modified Bessel function of the first kind and order one.
//
// For x below 8, the function is x times a polynomial in x. For x from 8 on, the function is a
// polynomial in 1/x, divided by sqrt(x) (Abramowitz and Stegun 9.7.1). The five intervals have
// different coefficients but share the code that evaluates the polynomial.
#include "Coefficients.h"
#include "Vector.h"

#define INFINITY_F64 __builtin_inf()

// Selects the constant of x's interval.
#define OF_INTERVAL(a, b, c, d, e)                                                                 \
  select8(x < 1.5, (v8d)(a),                                                                       \
          select8(x < 4.0, (v8d)(b),                                                               \
                  select8(x < 8.0, (v8d)(c), select8(x < 20.0, (v8d)(d), (v8d)(e)))))

// Returns the variable of the polynomial: x below 8, 1/x from 8 on. The caller subtracts the middle
// of the interval from it.
DRUMLIN_INLINE v8d besselArgument(v8d x) { return select8(x < 8.0, x, 1.0 / x); }

DRUMLIN_INLINE v8d besselShort(v8d argument) {
  v8d x = abs8(argument);
  v8d u = besselArgument(x) - OF_INTERVAL(0.75, 2.75, 6.0, 0.0625, 0.0625);
  v8d sum = (v8d)0.0;
#pragma clang loop unroll(full)
  for (int i = COUNT(kBesselShortA) - 1; i >= 0; --i) {
    sum = multiplyAdd8(sum, u,
                       OF_INTERVAL(kBesselShortA[i], kBesselShortB[i], kBesselShortC[i],
                                   kBesselShortD[i], kBesselShortD[i]));
  }
  v8d result = select8(x < 8.0, sum * x, sum / __builtin_elementwise_sqrt(x));
  return xorSign8(result, sign8(argument));
}
DRUMLIN_BODY void besselF32(const v16f *x, v16f *result) {
  *result = THROUGH_DOUBLE(besselShort, *x);
}
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(bessel_i1e_f32)(v16f x) {
  v16f result;
  besselF32(&x, &result);
  return result;
}

// The subtraction of the interval's middle and the last four steps of the polynomial use
// double-double arithmetic, because in plain doubles their rounding errors near 0 would be half a
// unit in the last place of the result.
DRUMLIN_BODY void besselF64(const v8d *argument, v8d *result) {
  v8d x = abs8(*argument);
  DoubleDouble u = twoSum(besselArgument(x), -OF_INTERVAL(0.75, 2.75, 6.0, 0.0875, 0.025));
  v8d plain = (v8d)0.0;
#pragma clang loop unroll(full)
  for (int i = COUNT(kBesselA) - 1; i >= COUNT(kBesselALow); --i) {
    plain =
        multiplyAdd8(plain, u.high,
                     OF_INTERVAL(kBesselA[i], kBesselB[i], kBesselC[i], kBesselD[i], kBesselE[i]));
  }
  DoubleDouble sum = asDouble(plain);
#pragma clang loop unroll(full)
  for (int i = COUNT(kBesselALow) - 1; i >= 0; --i) {
    DoubleDouble coefficient = {
        OF_INTERVAL(kBesselA[i], kBesselB[i], kBesselC[i], kBesselD[i], kBesselE[i]),
        OF_INTERVAL(kBesselALow[i], kBesselBLow[i], kBesselCLow[i], kBesselDLow[i],
                    kBesselELow[i])};
    sum = addDouble(multiplyDouble(sum, u), coefficient);
  }
  DoubleDouble product = twoProduct(sum.high, x);
  v8d near = product.high + multiplyAdd8(sum.low, x, product.low);
  // The rounding error of the square root is added to the divisor. Large arguments are scaled so
  // that no product overflows.
  v8l isLarge = x > 0x1p500;
  v8d scaled = select8(isLarge, x * 0x1p-512, x);
  v8d root = __builtin_elementwise_sqrt(scaled);
  DoubleDouble square = twoProduct(root, root);
  v8d rest = ((scaled - square.high) - square.low) / (root + root);
  DoubleDouble quotient = divideDouble(sum, (DoubleDouble){root, rest});
  v8d far = (quotient.high + quotient.low) * select8(isLarge, (v8d)0x1p-256, (v8d)1.0);
  far = select8(x == INFINITY_F64, (v8d)0.0, far);
  *result = xorSign8(select8(x < 8.0, near, far), sign8(*argument));
}
DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(bessel_i1e_f64)(v8d x) {
  v8d result;
  besselF64(&x, &result);
  return result;
}
