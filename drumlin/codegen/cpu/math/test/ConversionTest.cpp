// Compares conversions to and from narrow formats with the scalar definition in FloatFormats.h.
// Every bit pattern is decoded. Every number of the format, every midpoint of two adjacent numbers,
// and the f32 numbers next to these are encoded.
#include "drumlin/codegen/cpu/math/test/NativeFunctions.h"
#include "drumlin/support/FloatFormats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

using namespace drumlin;

namespace {

struct Conversion {
  const char *kind;
  ElementType type;
  unsigned laneBits;
};

constexpr Conversion Conversions[] = {
#define DRUMLIN_MATH_CONVERSION(kind, type, bits) {#kind, ElementType::type, bits},
#include "drumlin/codegen/cpu/math/MathConversions.def"
};

class MathConversions : public testing::TestWithParam<Conversion> {};

} // namespace

static std::vector<const NativeFunction *> variants() {
  std::vector<const NativeFunction *> tables = {v1_table};
  if (__builtin_cpu_supports("x86-64-v3")) {
    tables.push_back(v3_table);
  }
  if (__builtin_cpu_supports("x86-64-v4")) {
    tables.push_back(v4_table);
  }
  return tables;
}

static NativeCall find(const NativeFunction *table, const std::string &name) {
  for (; table->name; ++table) {
    if (name == table->name) {
      return table->call;
    }
  }
  return nullptr;
}

static uint64_t patternCount(const Conversion &conversion) {
  return uint64_t(1) << info(conversion.type).bits;
}

// Returns the bytes of bit patterns, each in a lane of the conversion's width.
static std::vector<std::byte> storePatterns(const Conversion &conversion,
                                            const std::vector<uint32_t> &patterns) {
  size_t bytes = conversion.laneBits / 8;
  std::vector<std::byte> stored(patterns.size() * bytes);
  for (size_t i = 0; i < patterns.size(); ++i) {
    for (size_t byte = 0; byte < bytes; ++byte) {
      stored[i * bytes + byte] = static_cast<std::byte>(patterns[i] >> (8 * byte));
    }
  }
  return stored;
}

// Returns every finite number and midpoint and the f32 numbers next to it, with both signs, and the
// extreme numbers of f32.
static std::vector<float> encodePoints(const Conversion &conversion) {
  std::vector<double> numbers;
  for (uint64_t pattern = 0; pattern < patternCount(conversion); ++pattern) {
    double value = decode(conversion.type, pattern);
    if (std::isfinite(value)) {
      numbers.push_back(value);
    }
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::vector<float> points = {
      0.0f, INFINITY, NAN, 0x1p-149f, 0x1p-126f, 0x1.fffffcp-127f, 0x1.fffffep127f, 0x1.8p127f};
  auto addAround = [&](double value) {
    float center = static_cast<float>(value);
    points.insert(points.end(),
                  {center, std::nextafter(center, INFINITY), std::nextafter(center, -INFINITY)});
  };
  for (size_t i = 0; i < numbers.size(); ++i) {
    addAround(numbers[i]);
    if (i + 1 < numbers.size()) {
      addAround((numbers[i] + numbers[i + 1]) / 2);
    }
  }
  // Adds numbers around the end of the range: half a step above the largest number, and powers of
  // two above it.
  size_t last = numbers.size() - 1;
  addAround(numbers[last] + (numbers[last] - numbers[last - 1]) / 2);
  for (int exponent = -149; exponent < 128; ++exponent) {
    addAround(std::ldexp(1.0, exponent));
    addAround(std::ldexp(1.5, exponent));
  }
  for (size_t i = 0, n = points.size(); i < n; ++i) {
    points.push_back(-points[i]);
  }
  while (points.size() % 16) {
    points.push_back(0);
  }
  return points;
}

TEST_P(MathConversions, DecodesEveryBitPattern) {
  const Conversion &conversion = GetParam();
  std::vector<uint32_t> patterns;
  for (uint64_t pattern = 0; pattern < patternCount(conversion); ++pattern) {
    patterns.push_back(static_cast<uint32_t>(pattern));
  }
  std::vector<std::byte> stored = storePatterns(conversion, patterns);
  std::vector<float> values(patterns.size());
  for (const NativeFunction *table : variants()) {
    find(table, std::string("f32_from_") + conversion.kind)(stored.data(), nullptr, values.data(),
                                                            patterns.size());
    for (size_t i = 0; i < patterns.size(); ++i) {
      double expected = decode(conversion.type, patterns[i]);
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(values[i])) << patterns[i];
        continue;
      }
      ASSERT_EQ(std::bit_cast<uint32_t>(static_cast<float>(expected)),
                std::bit_cast<uint32_t>(values[i]))
          << patterns[i];
    }
  }
}

TEST_P(MathConversions, EncodesNumbersMidpointsAndTheirNeighbours) {
  const Conversion &conversion = GetParam();
  std::vector<float> points = encodePoints(conversion);
  size_t bytes = conversion.laneBits / 8;
  std::vector<std::byte> stored(points.size() * bytes);
  for (const NativeFunction *table : variants()) {
    find(table, std::string(conversion.kind) + "_from_f32")(points.data(), nullptr, stored.data(),
                                                            points.size());
    for (size_t i = 0; i < points.size(); ++i) {
      uint64_t expected = encode(conversion.type, points[i]);
      uint64_t got = 0;
      for (size_t byte = 0; byte < bytes; ++byte) {
        got |= static_cast<uint64_t>(stored[i * bytes + byte]) << (8 * byte);
      }
      ASSERT_EQ(expected, got) << std::hexfloat << points[i];
    }
  }
}

// f64 is converted to a narrow format through f32 rounded to odd; the two roundings must equal a
// single one.
TEST_P(MathConversions, RoundsDoublesOnce) {
  const Conversion &conversion = GetParam();
  std::vector<double> points = {0.0,      -0.0,      0x1p-1074, -0x1p-200, 0x1p200, 0x1.fffffefp127,
                                INFINITY, -INFINITY, NAN};
  for (float point : encodePoints(conversion)) {
    double value = point;
    points.insert(points.end(),
                  {value, std::nextafter(value, HUGE_VAL), std::nextafter(value, -HUGE_VAL)});
  }
  while (points.size() % 16) {
    points.push_back(0);
  }
  size_t bytes = conversion.laneBits / 8;
  std::vector<float> odd(points.size());
  std::vector<std::byte> stored(points.size() * bytes);
  for (const NativeFunction *table : variants()) {
    find(table, "f32_from_f64_odd")(points.data(), nullptr, odd.data(), points.size());
    find(table, std::string(conversion.kind) + "_from_f32")(odd.data(), nullptr, stored.data(),
                                                            points.size());
    for (size_t i = 0; i < points.size(); ++i) {
      uint64_t expected = encode(conversion.type, points[i]);
      uint64_t got = 0;
      for (size_t byte = 0; byte < bytes; ++byte) {
        got |= static_cast<uint64_t>(stored[i * bytes + byte]) << (8 * byte);
      }
      ASSERT_EQ(expected, got) << std::hexfloat << points[i] << " by " << odd[i];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, MathConversions, testing::ValuesIn(Conversions),
                         [](const testing::TestParamInfo<Conversion> &info) {
                           return std::string(info.param.kind);
                         });
