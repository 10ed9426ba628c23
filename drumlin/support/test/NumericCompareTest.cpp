#include "drumlin/support/NumericCompare.h"
#include "drumlin/support/diagnostics/FileErrors.h"

#include <cmath>
#include <gtest/gtest.h>
#include <initializer_list>
#include <limits>

using namespace drumlin;

template <typename T> static Tensor make(ElementType type, std::initializer_list<T> values) {
  Tensor tensor(type, {static_cast<int64_t>(values.size() * sizeof(T) / storageBytes(type))});
  std::copy(values.begin(), values.end(), tensor.as<T>());
  return tensor;
}
static Comparison floats(std::initializer_list<float> got, std::initializer_list<float> expected,
                         double r = 1e-3) {
  Result<Comparison> result =
      compare(make(ElementType::F32, got), make(ElementType::F32, expected), {r});
  EXPECT_TRUE(result);
  return *result;
}

static constexpr float infinity = std::numeric_limits<float>::infinity();
static constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();

TEST(NumericCompare, ToleranceCountsTheTensorsSize) {
  // rms(e) is 100/sqrt(2): an element that should be zero may differ by r * 70.7.
  EXPECT_TRUE(floats({100, 0.07f}, {100, 0}).matches);
  Comparison result = floats({100, 0.08f}, {100, 0});
  EXPECT_FALSE(result.matches);
  EXPECT_EQ(result.mismatches, 1);
  EXPECT_EQ(result.firstMismatch, 1);
  EXPECT_NEAR(result.rms, 70.71, 0.01);
  EXPECT_NE(result.str().find("1 of 2"), std::string::npos);
}

TEST(NumericCompare, SpecialValuesMustMatch) {
  EXPECT_TRUE(
      floats({notANumber, infinity, -infinity, 0.0f}, {notANumber, infinity, -infinity, -0.0f})
          .matches);
  EXPECT_FALSE(floats({infinity}, {-infinity}).matches);
  EXPECT_FALSE(floats({1}, {notANumber}).matches);
  EXPECT_FALSE(floats({notANumber}, {1}).matches);
  EXPECT_FALSE(floats({1e38f}, {infinity}, 1e9).matches);
  EXPECT_TRUE(std::isinf(floats({1}, {notANumber}).maxRelativeError));
}

TEST(NumericCompare, FirstAndWorstAreNamed) {
  Comparison result = floats({1, 2.5f, 9}, {1, 2, 3});
  EXPECT_EQ(result.firstMismatch, 1);
  EXPECT_EQ(result.worstMismatch, 2);
  EXPECT_EQ(result.worstGot, 9);
  EXPECT_EQ(result.equal, 1);
}

TEST(NumericCompare, AllZerosExpectedAllowsNothingElse) {
  EXPECT_TRUE(floats({0, 0}, {0, 0}).matches);
  EXPECT_FALSE(floats({0, 1e-30f}, {0, 0}).matches);
}

TEST(NumericCompare, HugeValuesDoNotOverflow) {
  Result<Comparison> result = compare(make<double>(ElementType::F64, {1e300, 1e300}),
                                      make<double>(ElementType::F64, {1e300, -1e300}), {1e-3});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->mismatches, 1);
  EXPECT_TRUE(std::isfinite(result->rms));
}

TEST(NumericCompare, IntegersAreExact) {
  Result<Comparison> result = compare(make<int64_t>(ElementType::SI64, {INT64_MAX, 3}),
                                      make<int64_t>(ElementType::SI64, {INT64_MAX - 1, 3}), {1.0});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->mismatches, 1);
  EXPECT_EQ(result->firstMismatch, 0);
}

TEST(NumericCompare, ComplexPartsShareTheModulus) {
  Result<Comparison> result = compare(make<float>(ElementType::C64, {1000, 0.5f}),
                                      make<float>(ElementType::C64, {1000, 0}), {1e-3});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->matches);
  EXPECT_NEAR(result->rms, 1000, 1e-3);
}

// Bit patterns of f8E4M3FN: 0x38 is 1, 0x39 the next number, 0x80 negative zero, 0x7f NaN.
TEST(NumericCompare, NarrowFloatsAreComparedByBitPatterns) {
  auto patterns = [](std::initializer_list<uint8_t> got, std::initializer_list<uint8_t> expected,
                     CompareOptions options) {
    return *compare(make(ElementType::F8E4M3FN, got), make(ElementType::F8E4M3FN, expected),
                    options);
  };
  CompareOptions options;
  options.equalShare = 0.5;
  EXPECT_TRUE(patterns({0x39, 0x80}, {0x38, 0x00}, options).matches);
  EXPECT_EQ(patterns({0x01, 0x80}, {0x81, 0x00}, options).maxPatternDistance, 2);
  EXPECT_FALSE(patterns({0x01, 0x80}, {0x81, 0x00}, options).matches);
  EXPECT_FALSE(patterns({0x7f, 0x00}, {0x7e, 0x00}, options).matches);
  EXPECT_TRUE(patterns({0x7f, 0x00}, {0xff, 0x00}, options).matches);
  options.equalShare = 0.6;
  EXPECT_FALSE(patterns({0x39, 0x80}, {0x38, 0x00}, options).matches);
}

TEST(NumericCompare, OtherTypesAndShapesAreRefused) {
  Result<Comparison> result =
      compare(Tensor(ElementType::F32, {2}), Tensor(ElementType::F32, {3}), {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, errors::ArrayTypeMismatch);
  EXPECT_FALSE(compare(Tensor(ElementType::F32, {2}), Tensor(ElementType::SI32, {2}), {}));
}
