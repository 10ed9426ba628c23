#include "drumlin/support/FloatFormats.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace drumlin {

namespace {
struct FloatFormat {
  unsigned exponentBits;
  unsigned mantissaBits;
  int bias;
  FloatSpecials specials;

  constexpr uint64_t magnitudeMask() const {
    return (uint64_t{1} << (exponentBits + mantissaBits)) - 1;
  }
  constexpr uint64_t signMask() const {
    return specials == FloatSpecials::ScaleOnly ? 0 : magnitudeMask() + 1;
  }
  // Only for Ieee: the first bit pattern that is infinity or a NaN.
  constexpr uint64_t infinityPattern() const {
    return ((uint64_t{1} << exponentBits) - 1) << mantissaBits;
  }
  constexpr uint64_t largestFinitePattern() const {
    switch (specials) {
    case FloatSpecials::None:
    case FloatSpecials::Unsigned0:
      return magnitudeMask();
    case FloatSpecials::Ieee:
      return infinityPattern() - 1;
    case FloatSpecials::FiniteOnly:
    case FloatSpecials::ScaleOnly:
      return magnitudeMask() - 1;
    }
    return 0;
  }
};
} // namespace

static constexpr unsigned doubleMantissaBits = 52;
static constexpr int doubleBias = 1023;

// Returns mantissa * 2^exponent, for mantissa < 2^53; exact if a double can represent the product.
static inline double scaled(uint64_t mantissa, int exponent) {
  return std::ldexp(static_cast<double>(mantissa), exponent);
}

static inline double quietNaN(bool negative) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  return negative ? -nan : nan;
}

static inline double decodeAs(FloatFormat format, uint64_t pattern) {
  bool negative = (pattern & format.signMask()) != 0;
  uint64_t magnitude = pattern & format.magnitudeMask();
  switch (format.specials) {
  case FloatSpecials::None:
    break;
  case FloatSpecials::Ieee:
    if (magnitude == format.infinityPattern()) {
      double infinity = std::numeric_limits<double>::infinity();
      return negative ? -infinity : infinity;
    }
    if (magnitude > format.infinityPattern()) {
      return quietNaN(negative);
    }
    break;
  case FloatSpecials::FiniteOnly:
    if (magnitude == format.magnitudeMask()) {
      return quietNaN(negative);
    }
    break;
  case FloatSpecials::Unsigned0:
    if (negative && magnitude == 0) {
      return quietNaN(false);
    }
    break;
  case FloatSpecials::ScaleOnly:
    return magnitude == format.magnitudeMask()
               ? quietNaN(false)
               : scaled(1, static_cast<int>(magnitude) - format.bias);
  }
  uint64_t exponent = magnitude >> format.mantissaBits;
  uint64_t fraction = magnitude & ((uint64_t{1} << format.mantissaBits) - 1);
  uint64_t significand = exponent == 0 ? fraction : fraction | uint64_t{1} << format.mantissaBits;
  int scale = static_cast<int>(exponent == 0 ? 1 : exponent) - format.bias -
              static_cast<int>(format.mantissaBits);
  double value = scaled(significand, scale);
  return negative ? -value : value;
}

// Returns the format's bit pattern for a magnitude beyond its largest finite number.
static inline uint64_t overflowPattern(FloatFormat format, bool negative) {
  uint64_t sign = negative ? format.signMask() : 0;
  switch (format.specials) {
  case FloatSpecials::None:
    return sign | format.largestFinitePattern();
  case FloatSpecials::Ieee:
    return sign | format.infinityPattern();
  case FloatSpecials::FiniteOnly:
    return sign | format.magnitudeMask();
  case FloatSpecials::Unsigned0:
    return format.signMask();
  case FloatSpecials::ScaleOnly:
    return format.magnitudeMask();
  }
  return 0;
}

// Returns the format's bit pattern for NaN. If a format has NaN but no infinities, this is also its
// pattern for an overflow; if it has no NaN, returns zero.
static inline uint64_t nanPattern(FloatFormat format, bool negative) {
  if (format.specials == FloatSpecials::None) {
    return 0;
  }
  uint64_t pattern = overflowPattern(format, negative);
  bool isInfinity = format.specials == FloatSpecials::Ieee;
  return isInfinity ? pattern | uint64_t{1} << (format.mantissaBits - 1) : pattern;
}

static inline uint64_t encodeAs(FloatFormat format, double value) {
  uint64_t bits = std::bit_cast<uint64_t>(value);
  bool negative = bits >> 63;
  uint64_t magnitude = bits & ~(uint64_t{1} << 63);
  constexpr uint64_t doubleInfinity = uint64_t{0x7ff} << doubleMantissaBits;
  if (magnitude > doubleInfinity) {
    return nanPattern(format, negative);
  }
  if (format.specials == FloatSpecials::ScaleOnly && (negative || magnitude == 0)) {
    return format.magnitudeMask();
  }
  if (magnitude == doubleInfinity) {
    return overflowPattern(format, negative);
  }
  // value = significand * 2^(exponent - 52). Subnormal doubles aren't normalized, which doesn't
  // matter: they are below half of every other format's smallest number.
  int exponent = static_cast<int>(magnitude >> doubleMantissaBits) - doubleBias;
  uint64_t significand = (magnitude & ((uint64_t{1} << doubleMantissaBits) - 1)) |
                         uint64_t{exponent == -doubleBias ? 0u : 1u} << doubleMantissaBits;
  // The smallest exponent of a normal number; in f8E8M0FNU, bit pattern zero is a normal number.
  int least = (format.specials == FloatSpecials::ScaleOnly ? 0 : 1) - format.bias;
  int quantumExponent = exponent > least ? exponent : least;
  // The number of low bits of the significand below the target's last place: at least one, because
  // every format that reaches this code is less precise than double.
  int dropped =
      static_cast<int>(doubleMantissaBits - format.mantissaBits) + (quantumExponent - exponent);
  uint64_t kept = 0;
  if (dropped < 60) {
    kept = significand >> dropped;
    uint64_t rest = significand & ((uint64_t{1} << dropped) - 1);
    uint64_t half = uint64_t{1} << (dropped - 1);
    if (rest > half || (rest == half && (kept & 1) != 0)) {
      ++kept;
    }
  }
  if (format.specials == FloatSpecials::ScaleOnly) {
    // `kept` is 0 (below the smallest number), 1, or 2 after rounding up. Since the format has no
    // fraction bits, `kept` only changes the exponent.
    uint64_t pattern = static_cast<uint64_t>(quantumExponent - least) + (kept > 0 ? kept - 1 : 0);
    return pattern > format.largestFinitePattern() ? format.magnitudeMask() : pattern;
  }
  // A carry out of the fraction raises the exponent by itself, and a subnormal that rounds up
  // becomes normal.
  uint64_t pattern = (static_cast<uint64_t>(quantumExponent - least) << format.mantissaBits) + kept;
  if (pattern > format.largestFinitePattern()) {
    return overflowPattern(format, negative);
  }
  if (pattern == 0 && format.specials == FloatSpecials::Unsigned0) {
    return 0;
  }
  return pattern | (negative ? format.signMask() : 0);
}

// Calls `fn` with the format as a constant, so that each format gets a specialized loop.
template <typename Fn> static inline auto withFormat(ElementType type, Fn fn) {
  switch (type) {
#define DRUMLIN_ELEMENT_TYPE(Name, text, numpy, kind, bits, storageBytes, exponent, mantissa,      \
                             bias, specials)                                                       \
  case ElementType::Name:                                                                          \
    return fn(FloatFormat{exponent == 0 ? 8 : exponent, mantissa, bias, FloatSpecials::specials});
#include "drumlin/support/ElementType.def"
  }
  return fn(FloatFormat{8, 23, 127, FloatSpecials::Ieee});
}

double decode(ElementType type, uint64_t pattern) {
  if (type == ElementType::F64) {
    return std::bit_cast<double>(pattern);
  }
  return withFormat(type, [&](FloatFormat format) { return decodeAs(format, pattern); });
}

uint64_t encode(ElementType type, double value) {
  if (type == ElementType::F64) {
    return std::bit_cast<uint64_t>(value);
  }
  return withFormat(type, [&](FloatFormat format) { return encodeAs(format, value); });
}

double roundTo(ElementType type, double value) {
  if (type == ElementType::F64) {
    return value;
  }
  if (type == ElementType::F32) {
    return static_cast<float>(value);
  }
  return decode(type, encode(type, value));
}

template <typename T> static T read(const std::byte *source) {
  T value;
  std::memcpy(&value, source, sizeof(T));
  return value;
}

static uint64_t readPattern(ElementType type, const std::byte *element) {
  switch (storageBytes(type)) {
  case 1:
    return read<uint8_t>(element);
  case 2:
    return read<uint16_t>(element);
  case 4:
    return read<uint32_t>(element);
  default:
    return read<uint64_t>(element);
  }
}

double toDouble(ElementType type, const std::byte *element) {
  const ElementTypeInfo &description = info(type);
  uint64_t pattern = readPattern(type, element);
  switch (description.kind) {
  case ElementKind::Boolean:
    return pattern != 0 ? 1.0 : 0.0;
  case ElementKind::Unsigned:
    return static_cast<double>(pattern);
  case ElementKind::Signed: {
    unsigned unused = 64 - 8 * description.storageBytes;
    return static_cast<double>(static_cast<int64_t>(pattern << unused) >> unused);
  }
  case ElementKind::Float:
  case ElementKind::Complex:
    return decode(type, pattern);
  }
  return 0;
}

// Decodes all bit patterns of an 8-bit storage type once per call, which is cheaper than decoding
// each of many elements.
static void decodeBytes(ElementType type, const std::byte *source, double *target, int64_t count) {
  double table[256];
  for (unsigned pattern = 0; pattern < 256; ++pattern) {
    table[pattern] = decode(type, pattern);
  }
  for (int64_t i = 0; i < count; ++i) {
    target[i] = table[static_cast<uint8_t>(source[i])];
  }
}

void decodeRun(ElementType type, const std::byte *source, double *target, int64_t count) {
  switch (type) {
  case ElementType::F64:
    if (count > 0) {
      std::memcpy(target, source, static_cast<size_t>(count) * sizeof(double));
    }
    return;
  case ElementType::F32:
    for (int64_t i = 0; i < count; ++i) {
      target[i] = read<float>(source + i * 4);
    }
    return;
  case ElementType::BF16:
    // A bf16 is the upper half of an f32.
    for (int64_t i = 0; i < count; ++i) {
      target[i] = std::bit_cast<float>(static_cast<uint32_t>(read<uint16_t>(source + i * 2)) << 16);
    }
    return;
  default:
    break;
  }
  if (storageBytes(type) == 1 && count >= 256) {
    decodeBytes(type, source, target, count);
    return;
  }
  unsigned size = storageBytes(type);
  withFormat(type, [&](FloatFormat format) {
    for (int64_t i = 0; i < count; ++i) {
      target[i] =
          decodeAs(format, size == 1 ? read<uint8_t>(source + i) : read<uint16_t>(source + i * 2));
    }
  });
}

void encodeRun(ElementType type, const double *source, std::byte *target, int64_t count) {
  if (type == ElementType::F64) {
    if (count > 0) {
      std::memcpy(target, source, static_cast<size_t>(count) * sizeof(double));
    }
    return;
  }
  if (type == ElementType::F32) {
    for (int64_t i = 0; i < count; ++i) {
      float value = static_cast<float>(source[i]);
      std::memcpy(target + i * 4, &value, 4);
    }
    return;
  }
  unsigned size = storageBytes(type);
  withFormat(type, [&](FloatFormat format) {
    for (int64_t i = 0; i < count; ++i) {
      uint64_t pattern = encodeAs(format, source[i]);
      if (size == 1) {
        target[i] = static_cast<std::byte>(pattern);
      } else {
        uint16_t half = static_cast<uint16_t>(pattern);
        std::memcpy(target + i * 2, &half, 2);
      }
    }
  });
}

double largestFinite(ElementType type) {
  if (type == ElementType::F64) {
    return std::numeric_limits<double>::max();
  }
  return withFormat(
      type, [](FloatFormat format) { return decodeAs(format, format.largestFinitePattern()); });
}

// Returns the exponent of the smallest positive number; every number is a multiple of that power of
// two.
static int leastExponent(const ElementTypeInfo &type) {
  bool isScale = type.specials == FloatSpecials::ScaleOnly;
  return isScale ? -type.exponentBias : 1 - type.exponentBias - static_cast<int>(type.mantissaBits);
}

bool holdsAll(ElementType wide, ElementType narrow) {
  const ElementTypeInfo &to = info(wide), &from = info(narrow);
  if (wide == narrow) {
    return true;
  }
  if (isComplex(wide) || isComplex(narrow) || isBoolean(wide) ||
      (isFloat(narrow) && !isFloat(wide)) || to.specials == FloatSpecials::ScaleOnly) {
    return false;
  }
  if (isBoolean(narrow)) {
    return true;
  }
  unsigned digits = from.bits - (isSigned(narrow) ? 1 : 0); // an integer's bits without its sign
  if (isInteger(narrow) && isInteger(wide)) {
    return isSigned(wide) ? digits < to.bits : isUnsigned(narrow) && digits <= to.bits;
  }
  if (isInteger(narrow)) {
    double most = std::ldexp(1.0, static_cast<int>(digits)) - (isSigned(narrow) ? 0 : 1);
    return digits <= to.mantissaBits + 1 && most <= largestFinite(wide);
  }
  bool hasInfinity = from.specials == FloatSpecials::Ieee;
  bool hasNan = from.specials != FloatSpecials::None;
  return from.mantissaBits <= to.mantissaBits && leastExponent(to) <= leastExponent(from) &&
         largestFinite(narrow) <= largestFinite(wide) &&
         (!hasInfinity || to.specials == FloatSpecials::Ieee) &&
         (!hasNan || to.specials != FloatSpecials::None);
}

double stickyDouble(uint64_t value) {
  int length = 64 - std::countl_zero(value);
  if (length <= 53) {
    return static_cast<double>(value);
  }
  int dropped = length - 53;
  uint64_t kept = value >> dropped;
  if ((value & ((uint64_t{1} << dropped) - 1)) != 0) {
    kept |= 1;
  }
  return scaled(kept, dropped);
}

double stickyDouble(int64_t value) {
  if (value >= 0) {
    return stickyDouble(static_cast<uint64_t>(value));
  }
  return -stickyDouble(uint64_t{0} - static_cast<uint64_t>(value));
}

} // namespace drumlin
