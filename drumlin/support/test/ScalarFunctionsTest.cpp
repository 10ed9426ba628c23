// Functions are known by what is written: all spellings of a function, and nothing near it.
#include "drumlin/support/ScalarFunctions.h"

#include "drumlin/support/FloatFormats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace drumlin {

constexpr int f32Bits = 24, bf16Bits = 8;

// Expressions as programs compute them, with constants rounded to f32.
struct Spelled {
  ScalarExpression made;

  Spelled(ScalarExpression given) : made(std::move(given)) {}
  Spelled(double value)
      : made(ScalarExpression::constant(static_cast<double>(static_cast<float>(value)), f32Bits)) {}
};

static Spelled call(std::string_view name, const auto &...operands) {
  std::array<ScalarExpression, sizeof...(operands)> list = {Spelled(operands).made...};
  return ScalarExpression::operation(name, list);
}
static Spelled operator+(const Spelled &a, const Spelled &b) { return call("add", a, b); }
static Spelled operator-(const Spelled &a, const Spelled &b) { return call("subtract", a, b); }
static Spelled operator*(const Spelled &a, const Spelled &b) { return call("multiply", a, b); }
static Spelled operator/(const Spelled &a, const Spelled &b) { return call("divide", a, b); }
static Spelled operator-(const Spelled &a) { return call("negate", a); }
static Spelled compare(std::string_view direction, const Spelled &a, const Spelled &b) {
  return ScalarExpression::comparison(direction, a.made, b.made);
}
static Spelled select(const Spelled &condition, const Spelled &a, const Spelled &b) {
  return call("select", condition, a, b);
}
static Spelled maximum(const Spelled &a, const Spelled &b) { return call("maximum", a, b); }
static Spelled minimum(const Spelled &a, const Spelled &b) { return call("minimum", a, b); }
static Spelled exponential(const Spelled &a) { return call("exponential", a); }
static Spelled logistic(const Spelled &a) { return call("logistic", a); }
static Spelled hyperbolic(const Spelled &a) { return call("tanh", a); }
static Spelled erf(const Spelled &a) { return call("erf", a); }
static Spelled cube(const Spelled &a) { return a * a * a; }

static Spelled variable() { return ScalarExpression::x(); }
static std::string nameOf(const Spelled &function) {
  return std::string(nameOfFunction(function.made));
}

struct Spelling {
  const char *name;
  Spelled function;
};

static std::vector<Spelling> spellings() {
  const Spelled x = variable();
  const Spelled zero = 0.0, one = 1.0;
  const Spelled t = hyperbolic(x), gate = logistic(x), twice = exponential(2.0 * x);
  const double root = std::sqrt(2 / M_PI), half = std::sqrt(0.5);
  const Spelled bend = root * (x + 0.044715 * cube(x)), slope = root * (1.0 + 0.134145 * x * x);
  const Spelled bent = hyperbolic(bend), quick = logistic(1.702 * x);
  return {
      {"relu", maximum(x, zero)},
      {"relu", maximum(zero, x)},
      {"relu", select(compare("GT", x, zero), x, zero)},
      {"relu", select(compare("GE", x, zero), x, zero)},
      {"relu", select(compare("LT", zero, x), x, zero)},
      {"relu", select(compare("LE", x, zero), zero, x)},
      {"relu", 0.5 * (x + call("abs", x))},
      {"relu", x * compare("GT", x, zero)},
      {"relu", call("clamp", zero, x, Spelled(std::numeric_limits<double>::infinity()))},
      {"relu", -minimum(-x, zero)},
      {"relu_grad", compare("GT", x, zero)},
      {"relu_grad", select(compare("LE", x, zero), zero, one)},
      {"silu", x * gate},
      {"silu", x / (1.0 + exponential(-x))},
      {"silu", x * (1.0 / (exponential(-x) + 1.0))},
      {"silu", 0.5 * x * (1.0 + hyperbolic(0.5 * x))},
      {"silu", x * exponential(x) / (exponential(x) + 1.0)},
      {"silu_grad", gate * (1.0 + x * (1.0 - gate))},
      {"silu_grad", gate + x * gate * (1.0 - gate)},
      {"logistic", 1.0 / (1.0 + exponential(-x))},
      {"logistic", 0.5 + 0.5 * hyperbolic(x / 2.0)},
      {"logistic", 1.0 - logistic(-x)},
      {"logistic_grad", gate * (1.0 - gate)},
      {"logistic_grad", gate - gate * gate},
      {"tanh", t},
      {"tanh", 2.0 * logistic(2.0 * x) - 1.0},
      {"tanh", (twice - 1.0) / (twice + 1.0)},
      {"tanh", (exponential(x) - exponential(-x)) / (exponential(x) + exponential(-x))},
      {"tanh_grad", 1.0 - t * t},
      {"tanh_grad", (1.0 - t) * (1.0 + t)},
      {"exp", exponential(x)},
      {"exp", 1.0 + call("exponential_minus_one", x)},
      {"square", x * x},
      {"square", call("power", x, 2.0)},
      // jax.nn, Flax and Haiku; torch's, with the constants multiplied; XLA's, folded.
      {"gelu_tanh", x * (0.5 * (1.0 + bent))},
      {"gelu_tanh", 0.5 * x * (1.0 + bent)},
      {"gelu_tanh", 0.5 * x * (1.0 + hyperbolic(x * root * (1.0 + 0.044715 * x * x)))},
      {"gelu_tanh", 0.5 * x * (1.0 + hyperbolic(root * x + 0.044715 * root * cube(x)))},
      {"gelu_tanh", x * logistic(2.0 * bend)},
      {"gelu_tanh_grad", 0.5 * (1.0 + bent) + 0.5 * x * (1.0 - bent * bent) * slope},
      {"gelu_erf", 0.5 * x * (1.0 + erf(half * x))},
      {"gelu_erf", 0.5 * x * (1.0 + erf(x / std::sqrt(2.0)))},
      {"gelu_erf", 0.5 * x * call("erfc", -x * half)},
      {"gelu_erf_grad",
       0.5 * (1.0 + erf(half * x)) + 1 / std::sqrt(2 * M_PI) * x * exponential(-0.5 * x * x)},
      {"gelu_erf_grad",
       0.5 * call("erfc", -x * half) +
           0.5 * x * 2 / std::sqrt(M_PI) * half * exponential(-((half * x) * (half * x)))},
      {"gelu_sigmoid", x * quick},
      {"gelu_sigmoid_grad", quick * (1.0 + 1.702 * x * (1.0 - quick))},
      {"identity", 1.0 * x},
      {"identity", -(-x)},
      {"clamp", call("clamp", -448.0, x, 448.0)},
      {"clamp", maximum(minimum(x, 448.0), -448.0)},
      {"clamp", minimum(maximum(x, -448.0), 448.0)},
      {"clamp", maximum(x, 1e-6)},
  };
}

TEST(ScalarFunctions, AreKnownInEachSpelling) {
  for (const Spelling &each : spellings()) {
    EXPECT_EQ(nameOf(each.function), each.name) << &each - spellings().data();
  }
}

// Functions near an activation, which samples would take for it.
TEST(ScalarFunctions, NearOnesAreNone) {
  const Spelled x = variable();
  const Spelled relu = maximum(x, 0.0), positive = compare("GT", x, 0.0);
  EXPECT_EQ(nameOf(select(compare("LT", x, -10.0), x, relu)), "");
  EXPECT_EQ(nameOf(select(compare("GE", x, 0.0), x, 1e-3 * x)), "");
  EXPECT_EQ(nameOf(maximum(x, 0.005)), "clamp");
  EXPECT_EQ(nameOf(maximum(x, -0.009)), "clamp");
  EXPECT_EQ(nameOf(select(compare("GT", x, 0.05), x, 0.0)), "");
  EXPECT_EQ(nameOf(x * logistic(1.01 * x)), "");
  // A derivative that is another number at 0.
  EXPECT_EQ(nameOf(compare("GE", x, 0.0)), "");
  EXPECT_EQ(nameOf(0.5 * (1.0 + call("sign", x))), "");
  EXPECT_EQ(nameOf(positive + 0.5 * compare("EQ", x, 0.0)), "");
}

// A bf16 constant beside the one of a definition is another constant.
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

// Definitions whose constants are moved, with kinks and tails of other functions.
struct Definition {
  const char *name;
  std::vector<double> constants;
  std::function<Spelled(const std::vector<double> &)> make;
};

static std::vector<Definition> definitions() {
  const Spelled x = variable();
  auto bend = [=](double root, double cubic) { return root * (x + cubic * cube(x)); };
  const double root = std::sqrt(2 / M_PI), half = std::sqrt(0.5);
  using Constants = const std::vector<double> &;
  return {
      {"relu", {1, 0}, [=](Constants c) { return maximum(c[0] * x, c[1]); }},
      {"silu", {1, 1, 1}, [=](Constants c) { return c[0] * x / (c[1] + exponential(-c[2] * x)); }},
      {"logistic", {1, 1}, [=](Constants c) { return c[0] * logistic(c[1] * x); }},
      {"tanh", {1, 1}, [=](Constants c) { return c[0] * hyperbolic(c[1] * x); }},
      {"exp", {1, 1}, [=](Constants c) { return c[0] * exponential(c[1] * x); }},
      {"square", {1}, [=](Constants c) { return c[0] * x * x; }},
      {"gelu_tanh",
       {0.5, 1, root, 0.044715},
       [=](Constants c) { return c[0] * x * (c[1] + hyperbolic(bend(c[2], c[3]))); }},
      {"gelu_erf", {0.5, 1, half}, [=](Constants c) { return c[0] * x * (c[1] + erf(c[2] * x)); }},
      {"gelu_sigmoid", {1, 1.702}, [=](Constants c) { return c[0] * x * logistic(c[1] * x); }},
      {"relu_grad",
       {0, 1, 0},
       [=](Constants c) { return select(compare("GT", x, c[0]), c[1], c[2]); }},
      {"silu_grad",
       {1, 1},
       [=](Constants c) { return c[0] * logistic(x) * (1.0 + x * (c[1] - logistic(x))); }},
      {"logistic_grad",
       {1, 1},
       [=](Constants c) { return c[0] * logistic(x) * (c[1] - logistic(x)); }},
      {"tanh_grad", {1}, [=](Constants c) { return c[0] - hyperbolic(x) * hyperbolic(x); }},
      {"gelu_tanh_grad",
       {0.5, root, 0.134145},
       [=](Constants c) {
         Spelled t = hyperbolic(bend(root, 0.044715));
         return c[0] * (1.0 + t) + 0.5 * x * (1.0 - t * t) * c[1] * (1.0 + c[2] * x * x);
       }},
      {"gelu_erf_grad",
       {0.5, 1 / std::sqrt(2 * M_PI), 0.5},
       [=](Constants c) {
         return c[0] * (1.0 + erf(half * x)) + c[1] * x * exponential(-c[2] * x * x);
       }},
      {"gelu_sigmoid_grad",
       {1, 1.702},
       [=](Constants c) {
         Spelled gate = logistic(1.702 * x);
         return gate * (c[0] + c[1] * x * (1.0 - gate));
       }},
  };
}

// How far two functions are apart somewhere, in units of f32's last place.
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
    double unit = std::ldexp(1.0, std::max(std::ilogb(expected), -126) - (f32Bits - 1));
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

// Every number of bf16 and of f16, and f32's of every exponent.
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
  uint32_t state = 1; // of a linear congruential generator
  for (uint32_t exponent = 0; exponent < 255; ++exponent) {
    for (int i = 0; i < 256; ++i) {
      state = state * 1664525U + 1013904223U;
      uint32_t bits = (state & 0x807fffffU) | exponent << 23;
      numbers.push_back(std::bit_cast<float>(bits));
    }
  }
  return numbers;
}

// A spelling that is known is the function of its definition at each of them, to half a unit of
// f32's last place beside what rounded constants move: a quarter of a unit of 1, which is most of a
// tail's value and all of it at a root. Where a spelling overflows in f64, as exp(x) / (1 + exp(x))
// does, it has no number to compare.
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
      double unit = std::ldexp(1.0, std::max(std::ilogb(expected), -126) - (f32Bits - 1));
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

// Conditions on anything but lines, and operations that aren't arithmetic.
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
