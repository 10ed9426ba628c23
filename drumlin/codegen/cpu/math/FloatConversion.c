// Conversions between f32 and the narrow floating-point formats, including subnormals, with one
// rounding to nearest even.
//
// A format has a sign, exponent bits with a bias, and M mantissa bits. For normal results, encoding
// shifts and rounds the bits of f32. For subnormal results, a float addition rounds: the addend is
// chosen such that the last bit of the sum is the format's smallest number. All other operations
// are on integers, so that the result is the same on every processor. Formats: IEEE 754-2019; OCP
// 8-bit Floating Point Specification (OFP8) 1.0; OCP Microscaling Formats (MX) 1.0.
#include "Vector.h"

// How a format encodes NaN and numbers above its largest number.
enum Overflow {
  OverflowToInfinity, // infinity follows the largest number; NaN also has the top mantissa bit set
  OverflowToNan,      // the only NaN is the bit pattern after the largest number's
  OverflowUnsigned,   // "FNUZ": the only NaN is the bit pattern of negative zero; zero has no sign
  OverflowSaturate,   // no special bit patterns; NaN becomes +0 (its sign would depend on the CPU)
};

typedef struct {
  int bits, mantissa, bias;
  uint32_t largest; // bit pattern of the largest finite number
  enum Overflow overflow;
} Format;

#define F16_FORMAT ((Format){16, 10, 15, 0x7bff, OverflowToInfinity})
#define F8E5M2_FORMAT ((Format){8, 2, 15, 0x7b, OverflowToInfinity})
#define F8E4M3_FORMAT ((Format){8, 3, 7, 0x77, OverflowToInfinity})
#define F8E3M4_FORMAT ((Format){8, 4, 3, 0x6f, OverflowToInfinity})
#define F8E4M3FN_FORMAT ((Format){8, 3, 7, 0x7e, OverflowToNan})
#define F8E4M3FNUZ_FORMAT ((Format){8, 3, 8, 0x7f, OverflowUnsigned})
#define F8E5M2FNUZ_FORMAT ((Format){8, 2, 16, 0x7f, OverflowUnsigned})
#define F8E4M3B11FNUZ_FORMAT ((Format){8, 3, 11, 0x7f, OverflowUnsigned})
#define F6E2M3FN_FORMAT ((Format){6, 3, 1, 0x1f, OverflowSaturate})
#define F6E3M2FN_FORMAT ((Format){6, 2, 3, 0x1f, OverflowSaturate})
#define F4E2M1FN_FORMAT ((Format){4, 1, 1, 0x7, OverflowSaturate})

DRUMLIN_INLINE v16u encode(v16f x, Format format) {
  const int shift = 23 - format.mantissa;
  const uint32_t least = (uint32_t)(128 - format.bias) << 23; // the smallest normal number
  v16u magnitude = bits16(x) & 0x7fffffffu;
  v16u sign = (bits16(x) >> 31) << (format.bits - 1);
  v16u odd = (magnitude >> shift) & 1;
  v16u normal = ((magnitude + odd + ((1u << (shift - 1)) - 1)) >> shift) -
                ((127u - format.bias) << format.mantissa);
  // A power of two whose last mantissa bit has the value of the format's smallest subnormal.
  const uint32_t anchor = (uint32_t)(128 - format.bias + shift) << 23;
  v16f anchored = (v16f)magnitude + (v16f)(v16u)anchor;
  v16u pattern = selectBits16(magnitude < least, bits16(anchored) - anchor, normal);
  v16i nan = (v16i)(magnitude > 0x7f800000u);
  v16i over = (v16i)((pattern > format.largest) | (magnitude >= 0x7f800000u));
  switch (format.overflow) {
  case OverflowToInfinity:
    pattern = selectBits16(over, (v16u)(format.largest + 1), pattern);
    pattern |= (v16u)nan & (1u << (format.mantissa - 1));
    return pattern | sign;
  case OverflowToNan:
    return selectBits16(over, (v16u)(format.largest + 1), pattern) | sign;
  case OverflowUnsigned:
    pattern |= selectBits16((v16i)(pattern == 0), (v16u)0, sign);
    return selectBits16(over, (v16u)(1u << (format.bits - 1)), pattern);
  case OverflowSaturate:
    pattern = selectBits16(over, (v16u)format.largest, pattern) | sign;
    return pattern & ~(v16u)nan;
  }
}

DRUMLIN_INLINE v16f decode(v16u pattern, Format format) {
  const int shift = 23 - format.mantissa;
  const uint32_t least = (uint32_t)(128 - format.bias) << 23;
  v16u sign = (pattern >> (format.bits - 1)) << 31;
  v16u body = pattern & ((1u << (format.bits - 1)) - 1);
  // A subnormal is decoded as if it had the smallest normal exponent and a leading 1, and the power
  // of two of this exponent is then subtracted. So no f32 subnormal occurs.
  v16i subnormal = (v16i)(body < (1u << format.mantissa));
  v16u bits = (body << shift) + ((127u - format.bias) << 23) + ((v16u)subnormal & (1u << 23));
  v16f value = (v16f)bits - (v16f)((v16u)subnormal & least);
  bits = bits16(value);
  switch (format.overflow) {
  case OverflowToInfinity:
    bits = selectBits16((v16i)(body > format.largest), (body << shift) | 0x7f800000u, bits);
    // Makes NaN quiet, whatever its payload.
    bits |= (v16u)(body > format.largest + 1) & 0x00400000u;
    break;
  case OverflowToNan:
    bits = selectBits16((v16i)(body > format.largest), (v16u)0x7fc00000u, bits);
    break;
  case OverflowUnsigned:
    bits = selectBits16((v16i)(pattern == (1u << (format.bits - 1))), (v16u)0x7fc00000u, bits);
    break;
  case OverflowSaturate:
    break;
  }
  return (v16f)(bits | sign);
}

DRUMLIN_INLINE v16uc narrow8(v16u pattern) { return __builtin_convertvector(pattern, v16uc); }
DRUMLIN_INLINE v16us narrow16(v16u pattern) { return __builtin_convertvector(pattern, v16us); }
DRUMLIN_INLINE v16u widen8(v16uc pattern) { return __builtin_convertvector(pattern, v16u); }
DRUMLIN_INLINE v16u widen16(v16us pattern) { return __builtin_convertvector(pattern, v16u); }

#define NARROW_KIND(kind, format)                                                                  \
  DRUMLIN_MATH_EXPORT v16uc DRUMLIN_MATH_NAME(kind##_from_f32)(v16f x) {                           \
    return narrow8(encode(x, format));                                                             \
  }                                                                                                \
  DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(f32_from_##kind)(v16uc x) {                           \
    return decode(widen8(x), format);                                                              \
  }

NARROW_KIND(f8E5M2, F8E5M2_FORMAT)
NARROW_KIND(f8E4M3, F8E4M3_FORMAT)
NARROW_KIND(f8E3M4, F8E3M4_FORMAT)
NARROW_KIND(f8E4M3FN, F8E4M3FN_FORMAT)
NARROW_KIND(f8E4M3FNUZ, F8E4M3FNUZ_FORMAT)
NARROW_KIND(f8E5M2FNUZ, F8E5M2FNUZ_FORMAT)
NARROW_KIND(f8E4M3B11FNUZ, F8E4M3B11FNUZ_FORMAT)
NARROW_KIND(f6E2M3FN, F6E2M3FN_FORMAT)
NARROW_KIND(f6E3M2FN, F6E3M2FN_FORMAT)
NARROW_KIND(f4E2M1FN, F4E2M1FN_FORMAT)

DRUMLIN_MATH_EXPORT v16us DRUMLIN_MATH_NAME(f16_from_f32)(v16f x) {
  return narrow16(encode(x, F16_FORMAT));
}
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(f32_from_f16)(v16us x) {
  return decode(widen16(x), F16_FORMAT);
}

// Rounds to bf16, which is the upper half of f32, including subnormals.
DRUMLIN_MATH_EXPORT v16us DRUMLIN_MATH_NAME(bf16_from_f32)(v16f x) {
  v16u bits = bits16(x);
  v16u rounded = (bits + 0x7fffu + ((bits >> 16) & 1)) >> 16;
  v16u quiet = ((bits >> 16) & 0x8000u) | 0x7fc0u;
  return narrow16(selectBits16(x != x, quiet, rounded));
}
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(f32_from_bf16)(v16us x) {
  return (v16f)(widen16(x) << 16);
}

// The format has only exponents: no zero and no sign. The midpoint of two powers rounds up. Numbers
// that are too small become the smallest power.
DRUMLIN_MATH_EXPORT v16uc DRUMLIN_MATH_NAME(f8E8M0FNU_from_f32)(v16f x) {
  v16u bits = bits16(x);
  v16u pattern = (bits + 0x00400000u) >> 23;
  // Bit pattern 0 is 2^-127, a subnormal number in f32. The midpoint between bit patterns 0 and 1
  // is subnormal, too.
  pattern = selectBits16((v16i)(bits < 0x00800000u), (v16u)(bits >= 0x00600000u) & 1u, pattern);
  v16i nan = ~(x > 0.0f) | (v16i)(pattern > 0xfeu);
  return narrow8(selectBits16(nan, (v16u)0xffu, pattern));
}
DRUMLIN_MATH_EXPORT v16f DRUMLIN_MATH_NAME(f32_from_f8E8M0FNU)(v16uc x) {
  v16u pattern = widen8(x);
  v16u bits = selectBits16((v16i)(pattern == 0), (v16u)0x00400000u, pattern << 23);
  return (v16f)selectBits16((v16i)(pattern == 0xff), (v16u)0x7fc00000u, bits);
}

// Converts f64 to f32 and rounds to odd: an inexact result is the neighbouring number whose last
// bit is one. A second rounding, to a format at least two bits shorter, then gives the same result
// as a single rounding (S. Boldo and G. Melquiond, "When double rounding is odd", 2005).
DRUMLIN_MATH_EXPORT v8f DRUMLIN_MATH_NAME(f32_from_f64_odd)(v8d x) {
  v8f nearest = __builtin_convertvector(x, v8f);
  v8d back = __builtin_convertvector(nearest, v8d);
  v8i inexact = __builtin_convertvector(back != x, v8i) & (nearest == nearest);
  v8i away = __builtin_convertvector(abs8(back) > abs8(x), v8i);
  v8u bits = (v8u)nearest - ((v8u)(away & inexact) & 1u);
  return (v8f)(bits | ((v8u)inexact & 1u));
}
