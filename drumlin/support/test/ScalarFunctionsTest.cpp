// Functions are known by their values, whatever their spelling.
#include "drumlin/support/ScalarFunctions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace drumlin {

static FunctionSampler samplerOf(double (*function)(double)) {
  return [function](std::span<const double> points) {
    std::vector<double> values;
    for (double x : points) {
      values.push_back(function(x));
    }
    return std::optional(values);
  };
}

TEST(ScalarFunctions, Activations) {
  EXPECT_EQ(nameOfActivation(samplerOf([](double x) { return x > 0 ? x : 0; })), "relu");
  EXPECT_EQ(nameOfActivation(samplerOf([](double x) { return x / (1 + std::exp(-x)); })), "silu");
  EXPECT_EQ(nameOfActivation(samplerOf([](double x) {
              return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
            })),
            "gelu");
  EXPECT_EQ(nameOfActivation(samplerOf([](double x) { return x > 0 ? 1.0 : 0.0; })), "relu_grad");
  EXPECT_EQ(nameOfActivation(samplerOf([](double x) { return 1.1 * std::tanh(x); })), "");
}

// Equal to tanh where it is looked at first, and nowhere else.
TEST(ScalarFunctions, FewPointsDontDecide) {
  EXPECT_EQ(nameOfActivation([](std::span<const double> points) {
              std::vector<double> values;
              for (double x : points) {
                values.push_back(points.size() < 10 ? std::tanh(x) : 0.5);
              }
              return std::optional(values);
            }),
            "");
}

TEST(ScalarFunctions, IdentityAndClamp) {
  FunctionSampler identity = samplerOf([](double x) { return x; });
  EXPECT_EQ(nameOfActivation(identity), "");
  EXPECT_EQ(nameOfFunction(identity), "identity");
  EXPECT_EQ(nameOfFunction(samplerOf([](double x) { return std::clamp(x, -448.0, 448.0); })),
            "clamp");
  EXPECT_EQ(
      nameOfFunction([](std::span<const double>) { return std::optional<std::vector<double>>(); }),
      "");
}

} // namespace drumlin
