#include "drumlin/support/FloatFormats.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

using namespace drumlin;

static const double infinity = std::numeric_limits<double>::infinity();

// Returns the formats with few enough bit patterns to test all of them.
static std::vector<ElementType> shortFormats() {
  std::vector<ElementType> types;
  for (size_t i = 0; i < elementTypeCount(); ++i) {
    auto type = static_cast<ElementType>(i);
    if (isFloat(type) && info(type).bits <= 16) {
      types.push_back(type);
    }
  }
  return types;
}

static uint64_t patternCount(ElementType type) { return uint64_t{1} << info(type).bits; }

static uint64_t signBit(ElementType type) {
  return info(type).specials == FloatSpecials::ScaleOnly ? 0 : patternCount(type) / 2;
}

// Returns the bit patterns of the non-negative finite numbers, in increasing order of value.
static std::vector<uint64_t> positiveFinitePatterns(ElementType type) {
  std::vector<uint64_t> patterns;
  uint64_t end = signBit(type) == 0 ? patternCount(type) : signBit(type);
  for (uint64_t pattern = 0; pattern < end; ++pattern) {
    if (std::isfinite(decode(type, pattern))) {
      patterns.push_back(pattern);
    }
  }
  return patterns;
}

// Compares with the numbers printed in the formats' specifications.
TEST(FloatFormats, DecodesThePublishedLimits) {
  EXPECT_EQ(decode(ElementType::F8E4M3FN, 0x7e), 448.0);
  EXPECT_EQ(decode(ElementType::F8E4M3FN, 0x08), 0x1p-6);
  EXPECT_EQ(decode(ElementType::F8E4M3FN, 0x01), 0x1p-9);
  EXPECT_TRUE(std::isnan(decode(ElementType::F8E4M3FN, 0x7f)));
  EXPECT_TRUE(std::isnan(decode(ElementType::F8E4M3FN, 0xff)));
  EXPECT_EQ(decode(ElementType::F8E5M2, 0x7b), 57344.0);
  EXPECT_EQ(decode(ElementType::F8E5M2, 0x7c), infinity);
  EXPECT_EQ(decode(ElementType::F8E5M2, 0x01), 0x1p-16);
  EXPECT_EQ(decode(ElementType::F8E4M3, 0x77), 240.0);
  EXPECT_EQ(decode(ElementType::F8E3M4, 0x6f), 15.5);
  EXPECT_EQ(decode(ElementType::F8E4M3FNUZ, 0x7f), 240.0);
  EXPECT_TRUE(std::isnan(decode(ElementType::F8E4M3FNUZ, 0x80)));
  EXPECT_EQ(decode(ElementType::F8E4M3B11FNUZ, 0x7f), 30.0);
  EXPECT_EQ(decode(ElementType::F8E5M2FNUZ, 0x7f), 57344.0);
  EXPECT_EQ(decode(ElementType::F6E2M3FN, 0x1f), 7.5);
  EXPECT_EQ(decode(ElementType::F6E3M2FN, 0x1f), 28.0);
  EXPECT_EQ(decode(ElementType::F4E2M1FN, 0x7), 6.0);
  EXPECT_EQ(decode(ElementType::F4E2M1FN, 0x1), 0.5);
  EXPECT_EQ(decode(ElementType::F8E8M0FNU, 0x00), 0x1p-127);
  EXPECT_EQ(decode(ElementType::F8E8M0FNU, 0xfe), 0x1p127);
  EXPECT_TRUE(std::isnan(decode(ElementType::F8E8M0FNU, 0xff)));
  EXPECT_EQ(decode(ElementType::BF16, 0x3f80), 1.0);
  EXPECT_EQ(decode(ElementType::BF16, 0x0001), 0x1p-133);
  EXPECT_EQ(decode(ElementType::F16, 0x7bff), 65504.0);
  EXPECT_EQ(decode(ElementType::F16, 0x0001), 0x1p-24);
}

// Bit patterns of positive numbers increase with their values, and the sign bit negates.
TEST(FloatFormats, CodesAreMonotonic) {
  for (ElementType type : shortFormats()) {
    SCOPED_TRACE(std::string(name(type)));
    std::vector<uint64_t> patterns = positiveFinitePatterns(type);
    for (size_t i = 1; i < patterns.size(); ++i) {
      ASSERT_LT(decode(type, patterns[i - 1]), decode(type, patterns[i]));
    }
    for (uint64_t pattern : patterns) {
      if (signBit(type) != 0 && pattern != 0) {
        ASSERT_EQ(decode(type, pattern | signBit(type)), -decode(type, pattern));
      }
    }
  }
}

// Each bit pattern except NaNs survives decoding and encoding, including negative zero.
TEST(FloatFormats, RoundTripsEveryCode) {
  for (ElementType type : shortFormats()) {
    SCOPED_TRACE(std::string(name(type)));
    for (uint64_t pattern = 0; pattern < patternCount(type); ++pattern) {
      double value = decode(type, pattern);
      if (std::isnan(value)) {
        ASSERT_TRUE(std::isnan(decode(type, encode(type, value))));
      } else {
        ASSERT_EQ(encode(type, value), pattern);
      }
    }
  }
}

// The midpoint of two neighbours rounds to the even bit pattern; a value slightly off the midpoint
// rounds to the nearer neighbour.
TEST(FloatFormats, MidpointsTieToEven) {
  for (ElementType type : shortFormats()) {
    SCOPED_TRACE(std::string(name(type)));
    std::vector<uint64_t> patterns = positiveFinitePatterns(type);
    for (size_t i = 1; i < patterns.size(); ++i) {
      double low = decode(type, patterns[i - 1]);
      double high = decode(type, patterns[i]);
      double middle = low + (high - low) / 2;
      bool alwaysUp = info(type).specials == FloatSpecials::ScaleOnly;
      uint64_t even = alwaysUp || patterns[i] % 2 == 0 ? patterns[i] : patterns[i - 1];
      ASSERT_EQ(encode(type, middle), even) << middle;
      ASSERT_EQ(encode(type, std::nextafter(middle, 0.0)), patterns[i - 1]) << middle;
      ASSERT_EQ(encode(type, std::nextafter(middle, infinity)), patterns[i]) << middle;
      if (signBit(type) != 0) {
        uint64_t negated = even | signBit(type);
        if (even == 0 && info(type).specials == FloatSpecials::Unsigned0) {
          negated = 0;
        }
        ASSERT_EQ(encode(type, -middle), negated) << middle;
      }
    }
  }
}

// Values up to half a step above the largest finite number still round down to it, the midpoint
// only if the number's bit pattern is even; all larger values overflow. The step is the distance to
// the number that would follow if the format continued.
TEST(FloatFormats, OverflowFollowsTheKindOfFormat) {
  for (ElementType type : shortFormats()) {
    SCOPED_TRACE(std::string(name(type)));
    for (double value : {1e300, infinity}) {
      double positive = decode(type, encode(type, value));
      double negative = decode(type, encode(type, -value));
      switch (info(type).specials) {
      case FloatSpecials::None:
        EXPECT_EQ(positive, largestFinite(type));
        EXPECT_EQ(negative, -largestFinite(type));
        break;
      case FloatSpecials::Ieee:
        EXPECT_EQ(positive, infinity);
        EXPECT_EQ(negative, -infinity);
        break;
      case FloatSpecials::FiniteOnly:
      case FloatSpecials::Unsigned0:
      case FloatSpecials::ScaleOnly:
        EXPECT_TRUE(std::isnan(positive));
        EXPECT_TRUE(std::isnan(negative));
        break;
      }
    }
  }
  EXPECT_EQ(encode(ElementType::F8E4M3FN, 464.0), 0x7eu);
  EXPECT_EQ(encode(ElementType::F8E4M3FN, std::nextafter(464.0, 500.0)), 0x7fu);
  EXPECT_EQ(encode(ElementType::F8E5M2, 61439.0), 0x7bu);
  EXPECT_EQ(encode(ElementType::F8E5M2, 61440.0), 0x7cu);
  EXPECT_EQ(encode(ElementType::F16, 65519.0), 0x7bffu);
  EXPECT_EQ(encode(ElementType::F16, 65520.0), 0x7c00u);
  EXPECT_EQ(encode(ElementType::F8E4M3FNUZ, 247.0), 0x7fu);
  EXPECT_EQ(encode(ElementType::F8E4M3FNUZ, 248.0), 0x80u);
}

// Zeros, NaNs and the values that the scale type lacks.
TEST(FloatFormats, SpecialValues) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(encode(ElementType::F8E4M3FN, -0.0), 0x80u);
  EXPECT_EQ(encode(ElementType::F8E4M3FNUZ, -0.0), 0x00u);
  EXPECT_EQ(encode(ElementType::F8E4M3FNUZ, -1e-30), 0x00u);
  for (ElementType type : shortFormats()) {
    if (info(type).specials == FloatSpecials::None) {
      EXPECT_EQ(encode(type, nan), 0u);
      EXPECT_EQ(encode(type, -nan), 0u);
    }
  }
  EXPECT_EQ(encode(ElementType::F8E3M4, nan), 0x78u);
  EXPECT_EQ(encode(ElementType::F8E8M0FNU, 0.0), 0xffu);
  EXPECT_EQ(encode(ElementType::F8E8M0FNU, -1.0), 0xffu);
  EXPECT_EQ(encode(ElementType::F8E8M0FNU, 0x1p-149), 0x00u);
  EXPECT_EQ(encode(ElementType::F8E8M0FNU, 1.4999999), 0x7fu);
  EXPECT_EQ(encode(ElementType::F8E8M0FNU, 3.0), 0x81u);
  EXPECT_EQ(encode(ElementType::F8E8M0FNU, 0x1.8p127), 0xffu);
  EXPECT_EQ(encode(ElementType::F32, 5e-324), 0u);
}

// The general routine agrees with the processor's own conversion for f32, including subnormals.
TEST(FloatFormats, F32AgreesWithTheProcessor) {
  uint64_t state = 1;
  for (int i = 0; i < 200000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double value = std::bit_cast<double>(state);
    if (i % 2 == 0) {
      // Half of the samples are subnormal or overflow in f32.
      value = std::ldexp(static_cast<double>(state >> 11), (i % 4 == 0 ? -195 : 60) + i % 32);
    }
    if (std::isnan(value)) {
      continue;
    }
    ASSERT_EQ(encode(ElementType::F32, value), std::bit_cast<uint32_t>(static_cast<float>(value)));
    float single = static_cast<float>(value);
    ASSERT_EQ(decode(ElementType::F32, std::bit_cast<uint32_t>(single)),
              static_cast<double>(single));
  }
}

// Arrays and single elements are converted alike.
TEST(FloatFormats, RunsAgreeWithSingleElements) {
  for (ElementType type : shortFormats()) {
    SCOPED_TRACE(std::string(name(type)));
    size_t size = storageBytes(type);
    size_t count = patternCount(type);
    std::vector<std::byte> patterns(count * size);
    for (size_t pattern = 0; pattern < count; ++pattern) {
      patterns[pattern * size] = static_cast<std::byte>(pattern & 0xff);
      if (size == 2) {
        patterns[pattern * size + 1] = static_cast<std::byte>(pattern >> 8);
      }
    }
    std::vector<double> values(count);
    decodeRun(type, patterns.data(), values.data(), static_cast<int64_t>(count));
    for (size_t pattern = 0; pattern < count; ++pattern) {
      double expected = decode(type, pattern);
      ASSERT_TRUE(values[pattern] == expected ||
                  (std::isnan(expected) && std::isnan(values[pattern])));
      double single = toDouble(type, patterns.data() + pattern * size);
      ASSERT_TRUE(single == expected || (std::isnan(expected) && std::isnan(single)));
    }
    std::vector<std::byte> back(count * size);
    encodeRun(type, values.data(), back.data(), static_cast<int64_t>(count));
    for (size_t pattern = 0; pattern < count; ++pattern) {
      if (!std::isnan(values[pattern])) {
        ASSERT_EQ(back[pattern * size], patterns[pattern * size]);
        ASSERT_EQ(back[pattern * size + size - 1], patterns[pattern * size + size - 1]);
      }
    }
  }
}

TEST(FloatFormats, IntegersAsDoubles) {
  int8_t minusOne = -1;
  uint64_t large = uint64_t{1} << 63;
  uint8_t yes = 1;
  EXPECT_EQ(toDouble(ElementType::SI4, reinterpret_cast<std::byte *>(&minusOne)), -1.0);
  EXPECT_EQ(toDouble(ElementType::UI8, reinterpret_cast<std::byte *>(&minusOne)), 255.0);
  EXPECT_EQ(toDouble(ElementType::UI64, reinterpret_cast<std::byte *>(&large)), 0x1p63);
  EXPECT_EQ(toDouble(ElementType::I1, reinterpret_cast<std::byte *>(&yes)), 1.0);
}

// Whether each value of a type with few bit patterns survives conversion there and back; -0 equals
// 0.
static bool holdsEach(ElementType wide, ElementType narrow) {
  bool isSignedType = isSigned(narrow);
  unsigned bits = isBoolean(narrow) ? 1 : info(narrow).bits;
  for (uint64_t pattern = 0; pattern < uint64_t{1} << bits; ++pattern) {
    double value = isFloat(narrow) ? decode(narrow, pattern) : static_cast<double>(pattern);
    if (isSignedType && pattern >= uint64_t{1} << (bits - 1)) {
      value -= std::ldexp(1.0, static_cast<int>(bits));
    }
    if (isFloat(wide)) {
      double stored = roundTo(wide, value);
      if (!(stored == value || (std::isnan(stored) && std::isnan(value)))) {
        return false;
      }
      continue;
    }
    int digits = static_cast<int>(info(wide).bits) - (isSigned(wide) ? 1 : 0);
    double least = isSigned(wide) ? -std::ldexp(1.0, digits) : 0;
    bool isInside = value >= least && value <= std::ldexp(1.0, digits) - 1;
    if (isFloat(narrow) || (isBoolean(wide) && !isBoolean(narrow)) || !isInside) {
      return false;
    }
  }
  return true;
}

TEST(FloatFormats, AWiderTypeHoldsEachValueOfANarrowerOne) {
  int pairs = 0;
  for (size_t i = 0; i < elementTypeCount(); ++i) {
    for (size_t j = 0; j < elementTypeCount(); ++j) {
      auto narrow = static_cast<ElementType>(i), wide = static_cast<ElementType>(j);
      if (isComplex(narrow) || isComplex(wide)) {
        EXPECT_EQ(holdsAll(wide, narrow), narrow == wide);
      } else if (info(narrow).bits <= 16) {
        EXPECT_EQ(holdsAll(wide, narrow), narrow == wide || holdsEach(wide, narrow))
            << name(narrow) << " in " << name(wide);
        ++pairs;
      }
    }
  }
  EXPECT_GT(pairs, 400);
  EXPECT_TRUE(holdsAll(ElementType::F64, ElementType::F32));
  EXPECT_TRUE(holdsAll(ElementType::F64, ElementType::SI32));
  EXPECT_FALSE(holdsAll(ElementType::F32, ElementType::SI32));
  EXPECT_FALSE(holdsAll(ElementType::F32, ElementType::F64));
  EXPECT_FALSE(holdsAll(ElementType::BF16, ElementType::F32));
  EXPECT_FALSE(holdsAll(ElementType::F64, ElementType::SI64));
}

// 2^60 + 2^36 + 1 is just above a midpoint of f32: converted through a plain double it would tie
// and round down.
TEST(FloatFormats, StickyDoubleKeepsWhatDecidesTheRounding) {
  int64_t value = (int64_t{1} << 60) + (int64_t{1} << 36) + 1;
  EXPECT_EQ(static_cast<float>(stickyDouble(value)), static_cast<float>(value));
  EXPECT_NE(static_cast<float>(static_cast<double>(value)), static_cast<float>(value));
  EXPECT_EQ(static_cast<float>(stickyDouble(-value)), static_cast<float>(-value));
  EXPECT_EQ(stickyDouble(std::numeric_limits<int64_t>::min()), -0x1p63);
}
