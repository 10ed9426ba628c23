#include "drumlin/support/RootsOfUnity.h"

#include "gtest/gtest.h"

#include <cmath>
#include <numbers>

namespace drumlin {

using Root = RootsOfUnity::Root;

static Root product(const Root &a, const Root &b) {
  return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}

static double distance(const Root &a, const Root &b) {
  auto apart = [](RootsOfUnity::Wide x, RootsOfUnity::Wide y) {
    return std::abs(static_cast<double>(x - y));
  };
  return std::max(apart(a.real, b.real), apart(a.imaginary, b.imaginary));
}

// Compares roots with those in long double and, to far more digits than long double has, products
// of roots with roots.
TEST(RootsOfUnity, Values) {
  for (int64_t n : {1, 2, 3, 4, 7, 8, 12, 17, 100, 1009, 65536}) {
    RootsOfUnity roots(n);
    for (int64_t j = 0; j < n; j += 1 + n / 97) {
      long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(j) /
                          static_cast<long double>(n);
      Root root = roots(j);
      Root expected{std::cos(angle), -std::sin(angle)};
      // long double's angle itself is off by two units in the last place of 2 pi.
      EXPECT_LT(distance(root, expected), 9e-19) << j << "/" << n;
      EXPECT_LT(distance(product(root, roots(j * 5)), roots(j * 6)), 0x1p-109) << j << "/" << n;
    }
  }
}

TEST(RootsOfUnity, AxesAndMirrors) {
  RootsOfUnity roots(24);
  auto isExactly = [](const Root &root, int real, int imaginary) {
    return root.real == real && root.imaginary == imaginary;
  };
  EXPECT_TRUE(isExactly(roots(0), 1, 0));
  EXPECT_TRUE(isExactly(roots(6), 0, -1));
  EXPECT_TRUE(isExactly(roots(12), -1, 0));
  EXPECT_TRUE(isExactly(roots(18), 0, 1));
  EXPECT_TRUE(isExactly(roots(24 * 5), 1, 0));
  for (int64_t j = 1; j < 24; ++j) {
    EXPECT_TRUE(roots(j).real == roots(24 - j).real);
    EXPECT_TRUE(roots(j).imaginary == -roots(24 - j).imaginary);
  }
  EXPECT_TRUE(roots(3).real == -roots(3).imaginary);
}

// The filter is the transform of the conjugate chirp, wrapped around.
TEST(RootsOfUnity, ChirpFilter) {
  constexpr int64_t n = 11, padded = 24;
  std::vector<Root> b = chirp(n), filter = chirpFilter(n, padded);
  ASSERT_EQ(filter.size(), static_cast<size_t>(padded));
  RootsOfUnity roots(padded);
  for (int64_t k = 0; k < padded; ++k) {
    Root sum{0, 0};
    for (int64_t j = 1 - n; j < n; ++j) {
      const Root &at = b[static_cast<size_t>(std::abs(j))];
      Root term = product({at.real, -at.imaginary}, roots((j + padded) * k));
      sum = {sum.real + term.real, sum.imaginary + term.imaginary};
    }
    const Root &got = filter[static_cast<size_t>(k)];
    EXPECT_LT(distance(sum, {got.real * padded, got.imaginary * padded}), 1e-17) << k;
  }
}

} // namespace drumlin
