// Functions are recognized from their operations in all equivalent forms; similar functions are
// not.
#include "functions/SpelledFunctions.h"

#include "drumlin/support/ScalarFunctions.h"

#include "drumlin/support/FloatFormats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

namespace drumlin {

constexpr int bf16Bits = 8;

static std::string nameOf(const Spelled &function) {
  return std::string(nameOfFunction(function.made));
}

TEST(ScalarFunctions, AreKnownInEachSpelling) {
  for (const Spelling &each : spellings()) {
    EXPECT_EQ(nameOf(each.function), each.name) << &each - spellings().data();
  }
}

// Functions close to an activation, which sampling would confuse with it.
TEST(ScalarFunctions, NearOnesAreNone) {
  const Spelled x = variable();
  const Spelled relu = maximum(x, 0.0), positive = compare("GT", x, 0.0);
  EXPECT_EQ(nameOf(select(compare("LT", x, -10.0), x, relu)), "");
  EXPECT_EQ(nameOf(select(compare("GE", x, 0.0), x, 1e-3 * x)), "");
  EXPECT_EQ(nameOf(maximum(x, 0.005)), "clamp");
  EXPECT_EQ(nameOf(maximum(x, -0.009)), "clamp");
  EXPECT_EQ(nameOf(select(compare("GT", x, 0.05), x, 0.0)), "");
  EXPECT_EQ(nameOf(x * logistic(1.01 * x)), "");
  // A derivative with another value at 0.
  EXPECT_EQ(nameOf(compare("GE", x, 0.0)), "");
  EXPECT_EQ(nameOf(0.5 * (1.0 + call("sign", x))), "");
  EXPECT_EQ(nameOf(positive + 0.5 * compare("EQ", x, 0.0)), "");
}

// The bf16 constant next to a definition's constant is a different constant.
TEST(ScalarFunctions, ConstantsAreThoseOfTheirType) {
  const Spelled x = variable();
  auto scaled = [&](double factor) {
    return nameOf(x * logistic(Spelled(ScalarExpression::constant(factor, bf16Bits)) * x));
  };
  EXPECT_EQ(scaled(1), "silu");
  EXPECT_EQ(scaled(1.0078125), "");
  EXPECT_EQ(scaled(1.703125), "gelu_sigmoid"); // 1.702, rounded
  EXPECT_EQ(scaled(1.6953125), "");
}

// Returns the largest difference of two functions, in units of f32's last place.
static double unitsApart(const ScalarExpression &a, const ScalarExpression &b) {
  double most = 0;
  std::vector<double> places = a.breaks();
  for (double place : a.breaks()) {
    places.push_back(std::nextafter(place, -1e30));
    places.push_back(std::nextafter(place, 1e30));
  }
  for (int sixteenths = -320; sixteenths <= 320; ++sixteenths) {
    places.push_back(sixteenths / 16.0);
  }
  for (double place : places) {
    double expected = b.at(place);
    double unit = std::ldexp(1.0, std::max(std::ilogb(expected), -126) - 23);
    most = std::max(most, std::abs(a.at(place) - expected) / unit);
  }
  return most;
}

TEST(ScalarFunctions, NoneOfManyNearMissesIsTaken) {
  const Spelled x = variable();
  for (const Definition &definition : definitions()) {
    const Spelled exact = definition.make(definition.constants);
    EXPECT_EQ(nameOf(exact), definition.name);
    std::vector<Spelled> misses;
    for (size_t i = 0; i < definition.constants.size(); ++i) {
      for (int exponent = -20; exponent <= -2; ++exponent) {
        for (double sign : {-1.0, 1.0}) {
          std::vector<double> moved = definition.constants;
          double scale = moved[i] == 0 ? 1 : moved[i];
          moved[i] += sign * std::ldexp(scale, exponent);
          misses.push_back(definition.make(moved));
        }
      }
    }
    for (double place : {-100.0, -30.0, -3.0, -0.5, -1e-3, 1e-3, 0.25, 2.0, 7.0, 50.0}) {
      misses.push_back(select(compare("LT", x, place), exact, exact + 1e-3));
      misses.push_back(select(compare("EQ", x, place), 1.5 + exact, exact));
    }
    size_t apart = 0;
    for (const Spelled &miss : misses) {
      double units = unitsApart(miss.made, exact.made);
      if (units > 0.5) {
        ++apart;
        EXPECT_NE(nameOf(miss), definition.name) << units << " units apart";
      }
    }
    EXPECT_GE(apart, 50u) << definition.name;
  }
}

// Returns every number of bf16 and of f16, and f32 numbers of every exponent.
static std::vector<double> allNumbers() {
  std::vector<double> numbers;
  for (ElementType type : {ElementType::BF16, ElementType::F16}) {
    for (uint32_t bits = 0; bits < (1U << 16); ++bits) {
      auto stored = static_cast<uint16_t>(bits);
      double number = 0;
      decodeRun(type, reinterpret_cast<const std::byte *>(&stored), &number, 1);
      if (std::isfinite(number)) {
        numbers.push_back(number);
      }
    }
  }
  uint32_t state = 1; // state of a linear congruential generator
  for (uint32_t exponent = 0; exponent < 255; ++exponent) {
    for (int i = 0; i < 256; ++i) {
      state = state * 1664525U + 1013904223U;
      uint32_t bits = (state & 0x807fffffU) | exponent << 23;
      numbers.push_back(std::bit_cast<float>(bits));
    }
  }
  return numbers;
}

// At each of these numbers, a recognized form of a function differs from the definition by at most
// half a unit in f32's last place, plus 2^-26 for the rounding of constants. In a function's tail
// or near its root, 2^-26 may exceed the value. Forms that overflow in f64, as exp(x) / (1 +
// exp(x)) does, aren't compared there.
TEST(ScalarFunctions, SpellingsAreTheirFunctionsEverywhere) {
  std::vector<double> numbers = allNumbers();
  std::vector<Definition> all = definitions();
  size_t compared = 0;
  for (const Spelling &each : spellings()) {
    auto found = std::find_if(all.begin(), all.end(), [&](const Definition &definition) {
      return definition.name == std::string_view(each.name);
    });
    if (found == all.end()) {
      continue; // identity, clamps
    }
    const Spelled exact = found->make(found->constants);
    double worst = 0, place = 0;
    for (double x : numbers) {
      double expected = exact.made.at(x), made = each.function.made.at(x);
      if (!std::isfinite(expected) || !std::isfinite(made)) {
        continue;
      }
      double unit = std::ldexp(1.0, std::max(std::ilogb(expected), -126) - 23);
      double apart = std::abs(made - expected) / (unit + 2 * 0x1p-26);
      place = apart > worst ? x : place;
      worst = std::max(worst, apart);
      ++compared;
    }
    EXPECT_LE(worst, 0.5) << each.name << " at " << place;
  }
  EXPECT_GT(compared, 8'000'000u);
}

TEST(ScalarFunctions, TheNearestIsNamed) {
  const Spelled x = variable();
  NearestFunction nearest = nearestActivation(select(compare("GT", x, 0.05), x, 0.0).made);
  EXPECT_EQ(nearest.name, "relu");
  EXPECT_NEAR(nearest.place, 0.05, 1e-6);
  EXPECT_NEAR(nearest.difference, 0.05, 1e-6);
  EXPECT_EQ(nearestActivation(call("log", x).made).name, "");
}

TEST(ScalarFunctions, GradientsAreThoseOfOneFactor) {
  const Spelled x = variable();
  const Spelled y = ScalarExpression::y(), gate = logistic(x);
  EXPECT_EQ(nameOfGradient(select(compare("GT", x, 0.0), y, 0.0).made), "relu");
  EXPECT_EQ(nameOfGradient((y * gate + x * y * gate * (1.0 - gate)).made), "silu");
  EXPECT_EQ(nameOfGradient((y * y * gate * (1.0 - gate)).made), "");
  EXPECT_EQ(nameOfGradient((y + gate * (1.0 - gate)).made), "");
}

// Functions with conditions on nonlinear functions, or with operations that aren't arithmetic, are
// unknown.
TEST(ScalarFunctions, WhatIsntReadIsUnknown) {
  const Spelled x = variable();
  EXPECT_FALSE(select(compare("GT", x * x, 1.0), x, 0.0).made.isKnown());
  EXPECT_FALSE(select(compare("GT", ScalarExpression::y(), 1.0), x, 0.0).made.isKnown());
  EXPECT_FALSE(call("atan2", x, x).made.isKnown());
  EXPECT_FALSE(call("add", x).made.isKnown());
  EXPECT_FALSE((x / (x - x)).made.isKnown());
  EXPECT_EQ(nameOf(call("atan2", x, x)), "");
}

} // namespace drumlin
