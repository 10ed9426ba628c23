// sin, cos and tan.
//
// The argument is reduced by a multiple of pi/2 (f32: of pi), which is a sum of several parts (Cody
// and Waite). Large arguments take a slow path that multiplies them by the bits of 2/pi that they
// need (M. H. Payne and R. N. Hanek, "Radian reduction for trigonometric functions", SIGNUM
// Newsletter 18, 1983). Each function is accurate over the whole range of its type.
#include "Coefficients.h"
#include "Vector.h"

// Arguments up to this limit are reduced by a sum of floating-point parts: their quotient by pi/2
// has at most 20 bits.
#define REDUCTION_LIMIT 0x1p20

// The number x = quadrant * pi/2 + high + low, where |high| is at most pi/4.
typedef struct {
  v8d high, low;
  v8l quadrant; // modulo 4
} Reduced;

// Reduces the lanes of x that are above the limit; other lanes are unchanged.
DRUMLIN_SLOW_PATH void reduceLarge(const double *x, double *high, double *low, int64_t *quadrant) {
  for (int lane = 0; lane < 8; ++lane) {
    union {
      double value;
      uint64_t bits;
    } u = {x[lane]}, scale;
    uint64_t sign = u.bits >> 63;
    u.bits &= 0x7fffffffffffffffull;
    if (!(u.value > REDUCTION_LIMIT)) {
      continue;
    }
    int exponent = (int)(u.bits >> 52);
    if (exponent == 0x7ff) {
      high[lane] = low[lane] = __builtin_nan("");
      continue;
    }
    uint64_t mantissa = (u.bits & 0x000fffffffffffffull) | 0x0010000000000000ull;
    // x is mantissa * 2^(exponent - 1075). Bits of 2/pi whose products with x are multiples of 4
    // are skipped. `first` is the number of the first bit that is read from the table, which begins
    // with 64 zero bits.
    int first = exponent - 1075 - 2 + 64;
    int word = first >> 6, shift = first & 63;
    uint64_t window[3];
    for (int i = 0; i < 3; ++i) {
      uint64_t next = kTwoOverPi[word + i + 1];
      window[i] = (kTwoOverPi[word + i] << shift) | (shift ? next >> (64 - shift) : 0);
    }
    unsigned __int128 p0 = (unsigned __int128)mantissa * window[2];
    unsigned __int128 p1 = (unsigned __int128)mantissa * window[1] + (uint64_t)(p0 >> 64);
    uint64_t top = mantissa * window[0] + (uint64_t)(p1 >> 64);
    uint64_t middle = (uint64_t)p1, bottom = (uint64_t)p0;
    // The two highest bits of the product are the quadrant, the other bits are the fraction.
    // Rounding to the nearest quadrant makes the fraction signed.
    int64_t q = (int64_t)(top >> 62);
    uint64_t a = (top << 2) | (middle >> 62), b = (middle << 2) | (bottom >> 62);
    uint64_t negative = a >> 63;
    if (negative) {
      ++q;
      b = ~b + 1;
      a = ~a + (b == 0);
    }
    int zeros = a ? __builtin_clzll(a) : 64 + (b ? __builtin_clzll(b) : 63);
    unsigned __int128 fraction = (((unsigned __int128)a << 64) | b) << zeros;
    scale.bits = (uint64_t)(1023 - 53 - zeros) << 52;
    double fractionHigh = (double)(int64_t)(fraction >> 75) * scale.value;
    double fractionLow = (double)(int64_t)((uint64_t)(fraction >> 22) & 0x001fffffffffffffull) *
                         scale.value * 0x1p-53;
    // Multiplies the fraction by pi/2. Both leading parts are split, so that their product is
    // exact.
    const double pi = 0x1.921fb54442d18p+0, piLow = 0x1.1a62633145c07p-54;
    const double piTop = 0x1.921fb58p+0, piRest = pi - piTop;
    double t = fractionHigh * 0x1.0000002p27;
    double fractionTop = t - (t - fractionHigh), fractionRest = fractionHigh - fractionTop;
    double product = fractionHigh * pi;
    double error = ((fractionTop * piTop - product) + fractionTop * piRest + fractionRest * piTop) +
                   fractionRest * piRest;
    error += fractionHigh * piLow + fractionLow * pi;
    double flip = (negative ^ sign) ? -1.0 : 1.0;
    high[lane] = flip * product;
    low[lane] = flip * error;
    quadrant[lane] = sign ? -q : q;
  }
}

DRUMLIN_INLINE Reduced reduce(v8d x) {
  v8d t = multiplyAdd8(x, (v8d)0x1.45f306dc9c883p-1, (v8d)ROUNDER_F64);
  v8d n = t - ROUNDER_F64;
  // The first parts of pi/2 have 33 bits, so that their products with n are exact.
  DoubleDouble a = twoSum(x - n * 0x1.921fb544p+0, n * -0x1.0b4611a6p-34);
  DoubleDouble b = twoSum(a.high, n * -0x1.3198a2ep-69);
  DoubleDouble r = fastTwoSum(b.high, a.low + b.low - n * 0x1.b839a252049c1p-104);
  Reduced result = {r.high, r.low, (v8l)bits8(t) & 3};
  v8l large = abs8(x) > REDUCTION_LIMIT;
  if (any8(large)) {
    reduceLarge((const double *)&x, (double *)&result.high, (double *)&result.low,
                (int64_t *)&result.quadrant);
  }
  return result;
}

// Returns sin(high + low) - high.
DRUMLIN_INLINE v8d sinTail(Reduced r, v8d z) {
  return multiplyAdd8(r.high * z, POLYNOMIAL8(z, kSinF64), r.low * (1.0 - 0.5 * z));
}
// Returns cos(high + low), with its rounding error in the low part.
DRUMLIN_INLINE DoubleDouble cosParts(Reduced r, v8d z) {
  v8d half = 0.5 * z;
  v8d w = 1.0 - half;
  return (DoubleDouble){w, ((1.0 - w) - half) +
                               multiplyAdd8(z * z, POLYNOMIAL8(z, kCosF64), -(r.high * r.low))};
}

// Returns sin(x + shift * pi/2).
DRUMLIN_INLINE v8d sinOrCos(v8d x, int64_t shift) {
  Reduced r = reduce(x);
  v8d z = r.high * r.high;
  v8d sine = r.high + sinTail(r, z);
  DoubleDouble c = cosParts(r, z);
  v8l quadrant = r.quadrant + shift;
  v8d result = select8((quadrant & 1) != 0, c.high + c.low, sine);
  return xorSign8(result, (v8ul)((quadrant & 2) << 62));
}

DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(sin_f64)(v8d x) {
  return select8(abs8(x) < 0x1p-30, x, sinOrCos(x, 0));
}
DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(cos_f64)(v8d x) { return sinOrCos(x, 1); }

// Computes sin / cos, or -cos / sin in odd quadrants. The quotient includes the rounding errors of
// both.
DRUMLIN_MATH_EXPORT v8d DRUMLIN_MATH_NAME(tan_f64)(v8d x) {
  Reduced r = reduce(x);
  v8d z = r.high * r.high;
  DoubleDouble s = {r.high, sinTail(r, z)};
  DoubleDouble c = cosParts(r, z);
  v8l odd = (r.quadrant & 1) != 0;
  DoubleDouble num = {select8(odd, -c.high, s.high), select8(odd, -c.low, s.low)};
  DoubleDouble den = {select8(odd, s.high, c.high), select8(odd, s.low, c.low)};
  num = fastTwoSum(num.high, num.low);
  den = fastTwoSum(den.high, den.low);
  DoubleDouble quotient = divideDouble(num, den);
  return select8(abs8(x) < 0x1p-30, x, quotient.high + quotient.low);
}

// The f32 functions compute in double: r has more than 30 correct bits even for the f32 number that
// is closest to a multiple of pi. One polynomial suffices for r = x - m pi with |r| <= pi/2, where
// m is an integer for sin (offset = 0) and an integer minus a half for cos (offset = 1/2).
DRUMLIN_INLINE v8d sinShort(v8d x, double offset) {
  v8d t = multiplyAdd8(x, (v8d)0x1.45f306dc9c883p-2, (v8d)offset) + ROUNDER_F64;
  v8d m = (t - ROUNDER_F64) - offset;
#if DRUMLIN_HAS_FMA
  v8d r = multiplyAdd8(m, (v8d)-0x1.921fb54442d18p+1, x);
  r = multiplyAdd8(m, (v8d)-0x1.1a62633145c07p-53, r);
#else
  v8d r = ((x - m * 0x1.921fb544p+1) - m * 0x1.0b4611a6p-33) - m * 0x1.3198a2e037073p-68;
#endif
  v8ul sign = bits8(t) << 63;
  v8l large = abs8(x) > REDUCTION_LIMIT;
  if (any8(large)) {
    v8d high = r, low = r;
    v8l quadrant = large;
    reduceLarge((const double *)&x, (double *)&high, (double *)&low, (int64_t *)&quadrant);
    // In odd quadrants, the sine is cos(h), which is computed as sin(pi/2 - |h|).
    quadrant += offset != 0.0;
    high = select8((quadrant & 1) != 0, 0x1.921fb54442d18p+0 - abs8(high), high);
    r = select8(large, high, r);
    sign = large ? (v8ul)((quadrant & 2) << 62) : sign;
  }
  v8d z = r * r;
  return xorSign8(multiplyAdd8(r * z, POLYNOMIAL8(z, kSinWide), r), sign);
}
DRUMLIN_INLINE v8d sinOfHalf(v8d x) {
  return (v8d)(bits8(sinShort(x, 0.0)) | (sign8(x) & (v8ul)(x == 0.0)));
}
DRUMLIN_INLINE v8d cosOfHalf(v8d x) { return sinShort(x, 0.5); }
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(sin_f32)(v16f x) { return THROUGH_DOUBLE(sinOfHalf, x); }
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(cos_f32)(v16f x) { return THROUGH_DOUBLE(cosOfHalf, x); }

DRUMLIN_INLINE v8d tanShort(v8d x) {
  v8d t = multiplyAdd8(x, (v8d)0x1.45f306dc9c883p-1, (v8d)ROUNDER_F64);
  v8d n = t - ROUNDER_F64;
  v8d r = ((x - n * 0x1.921fb544p+0) - n * 0x1.0b4611a6p-34) - n * 0x1.3198a2e037073p-69;
  v8l quadrant = (v8l)bits8(t);
  if (any8(abs8(x) > REDUCTION_LIMIT)) {
    v8d low = r;
    reduceLarge((const double *)&x, (double *)&r, (double *)&low, (int64_t *)&quadrant);
  }
  v8d z = r * r;
  v8d s = multiplyAdd8(r * z, POLYNOMIAL8(z, kSinShort), r);
  v8d c = multiplyAdd8(z * z, POLYNOMIAL8(z, kCosShort), 1.0 - 0.5 * z);
  v8l odd = (quadrant & 1) != 0;
  v8d result = select8(odd, -c, s) / select8(odd, s, c);
  return (v8d)(bits8(result) | (sign8(x) & (v8ul)(x == 0.0)));
}
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(tan_f32)(v16f x) { return THROUGH_DOUBLE(tanShort, x); }
