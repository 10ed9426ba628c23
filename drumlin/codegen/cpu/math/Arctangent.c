// atan2, atan, asin and acos.
//
// Let a <= b be the magnitudes of the arguments. For a / b up to tan(pi/8), atan(a / b) is a
// polynomial in a / b; above it, atan(a / b) is pi/4 + atan((a - b) / (a + b)). The other octants
// follow by symmetry.
#include "Coefficients.h"
#include "Vector.h"

#define INFINITY_F64 __builtin_inf()

// The numerator and denominator of the quotient, and how to compute the angle: base + sign *
// atan(num / den).
typedef struct {
  DoubleDouble num, den;
  v8d baseHigh, baseLow;
  v8ul flip; // the sign bit, set if the angle is subtracted from the base
} Octant;

DRUMLIN_INLINE Octant octant(v8d y, v8d x) {
  v8d ay = abs8(y), ax = abs8(x);
  v8l swap = ay > ax;
  v8d a = select8(swap, ax, ay), b = select8(swap, ay, ax);
  // Two infinities give an angle of pi/4, two zeros an angle of 0.
  v8l infinite = b == INFINITY_F64;
  a = select8(infinite, select8(a == b, (v8d)1.0, (v8d)0.0), a);
  b = select8(infinite | (b == 0.0), (v8d)1.0, b);
  // Both arguments are scaled so that sums and corrections neither overflow nor lose bits.
  v8d scale = select8(b > 0x1p900, (v8d)0x1p-200, select8(b < 0x1p-800, (v8d)0x1p250, (v8d)1.0));
  a = a * scale;
  b = b * scale;
  v8l upper = a > b * 0x1.a827999fcef32p-2;
  DoubleDouble sum = fastTwoSum(b, a), difference = fastTwoSum(-b, a);
  Octant o;
  o.num =
      (DoubleDouble){select8(upper, difference.high, a), select8(upper, difference.low, (v8d)0.0)};
  o.den = (DoubleDouble){select8(upper, sum.high, b), select8(upper, sum.low, (v8d)0.0)};
  // The base in units of pi/4. The base is 1 if a / b is above tan(pi/8), else 0. If the arguments
  // are swapped, the base is subtracted from 2. Then, for negative x, the base is subtracted from
  // 4.
  v8d quarters = select8(upper, (v8d)1.0, (v8d)0.0);
  v8l left = (v8l)sign8(x) < 0;
  quarters = select8(swap, 2.0 - quarters, quarters);
  quarters = select8(left, 4.0 - quarters, quarters);
  o.baseHigh = quarters * 0x1.921fb54442d18p-1;
  // 3/4 pi doesn't fit into 53 bits, so the rounding error of the product is added to the low part.
  v8d exact = quarters * 0x1.921fb544p-1;
  o.baseLow =
      ((exact - o.baseHigh) + quarters * 0x1.0b4611a6p-35) + quarters * 0x1.3198a2e037073p-70;
  o.flip = (v8ul)(swap ^ left) & 0x8000000000000000ull;
  return o;
}

DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(atan2_f64)(v8d y, v8d x) {
  Octant o = octant(y, x);
  DoubleDouble q = divideDouble(o.num, o.den);
  v8d z = q.high * q.high;
  v8d tail = multiplyAdd8(q.high * z, POLYNOMIAL8(z, kAtanF64), q.low);
  v8d high = xorSign8(q.high, o.flip);
  DoubleDouble sum = fastTwoSum(o.baseHigh, high);
  v8d result = sum.high + (sum.low + (o.baseLow + xorSign8(tail, o.flip)));
  result = (v8d)(bits8(abs8(result)) | sign8(y));
  return select8((x != x) | (y != y), x + y, result);
}

DRUMLIN_INLINE v8d atan2Short(v8d y, v8d x) {
  Octant o = octant(y, x);
  v8d q = o.num.high / o.den.high;
  v8d z = q * q;
  v8d angle = multiplyAdd8(q * z, POLYNOMIAL8(z, kAtanShort), q);
  v8d result = o.baseHigh + xorSign8(angle, o.flip);
  result = (v8d)(bits8(abs8(result)) | sign8(y));
  return select8((x != x) | (y != y), x + y, result);
}
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(atan2_f32)(v16f y, v16f x) {
  return THROUGH_DOUBLE2(atan2Short, y, x);
}

DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(atan_f64)(v8d x) {
  return DRUMLIN_MATH_NAME(atan2_f64)(x, (v8d)1.0);
}
DRUMLIN_INLINE v8d atanShort(v8d x) { return atan2Short(x, (v8d)1.0); }
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(atan_f32)(v16f x) {
  return THROUGH_DOUBLE(atanShort, x);
}

// Returns sqrt(1 - x^2) without cancellation for x near 1; NaN if |x| > 1.
DRUMLIN_INLINE v8d otherLeg(v8d x) { return __builtin_elementwise_sqrt((1.0 - x) * (1.0 + x)); }

DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(asin_f64)(v8d x) {
  return DRUMLIN_MATH_NAME(atan2_f64)(x, otherLeg(x));
}
DRUMLIN_INLINE v8d asinShort(v8d x) { return atan2Short(x, otherLeg(x)); }
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(asin_f32)(v16f x) {
  return THROUGH_DOUBLE(asinShort, x);
}

DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(acos_f64)(v8d x) {
  return DRUMLIN_MATH_NAME(atan2_f64)(otherLeg(x), x);
}
DRUMLIN_INLINE v8d acosShort(v8d x) { return atan2Short(otherLeg(x), x); }
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(acos_f32)(v16f x) {
  return THROUGH_DOUBLE(acosShort, x);
}
