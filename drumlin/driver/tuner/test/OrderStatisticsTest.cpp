// Tests bounds on medians: the ranks equal those of published tables, and the bounds hold for
// distributions without mean or symmetry.
#include "drumlin/driver/tuner/OrderStatistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace drumlin {

TEST(OrderStatistics, TailIsTheSumOfBinomialCoefficients) {
  for (int64_t n = 1; n <= 30; ++n) {
    double coefficient = 1, sum = 0, total = std::pow(2.0, static_cast<double>(n));
    // P(B >= k) = P(B <= n - k), summed from the other end.
    for (int64_t i = 0; i <= n; ++i) {
      sum += coefficient;
      EXPECT_NEAR(binomialUpperTail(n, n - i), sum / total, 1e-12) << n << " " << i;
      coefficient = coefficient * static_cast<double>(n - i) / static_cast<double>(i + 1);
    }
  }
  EXPECT_EQ(binomialUpperTail(5, 6), 0);
  EXPECT_NEAR(binomialUpperTail(5, 0), 1, 1e-12);
  // 2^-4001 is smaller than any number that a double can represent.
  EXPECT_NEAR(binomialUpperTail(4001, 2001), 0.5, 1e-9);
}

// The ranks are from Conover, Practical Nonparametric Statistics, table of bounds on a median at 95
// %.
TEST(OrderStatistics, RanksAreThoseOfTables) {
  EXPECT_EQ(upperBoundRank(5, 0.025), 0);
  EXPECT_EQ(upperBoundRank(6, 0.025), 6);
  EXPECT_EQ(upperBoundRank(10, 0.025), 9);
  EXPECT_EQ(upperBoundRank(15, 0.025), 12);
  EXPECT_EQ(upperBoundRank(20, 0.025), 15);
  EXPECT_EQ(upperBoundRank(25, 0.025), 18);
}

TEST(OrderStatistics, RankIsTheSmallestWhoseTailIsSmallEnough) {
  for (int64_t n : {1, 2, 7, 16, 31, 120}) {
    for (double error : {0.2, 0.01, 1e-5}) {
      int64_t rank = upperBoundRank(n, error);
      if (rank == 0) {
        EXPECT_GT(binomialUpperTail(n, n), error);
        continue;
      }
      EXPECT_LE(binomialUpperTail(n, rank), error);
      EXPECT_GT(binomialUpperTail(n, rank - 1), error);
    }
  }
}

TEST(OrderStatistics, MediansOfFewValues) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({4, 1}), 2.5);
  EXPECT_EQ(median({5, 1, 3}), 3);
  EXPECT_EQ(median({5, 1, 3, 2}), 2.5);
  MedianBounds bounds = medianBounds({2, 1, 3}, 0.01);
  EXPECT_EQ(bounds.lower, 0);
  EXPECT_EQ(bounds.median, 2);
  EXPECT_EQ(bounds.upper, std::numeric_limits<double>::infinity());
  bounds = medianBounds({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 0.025);
  EXPECT_EQ(bounds.lower, 2);
  EXPECT_EQ(bounds.median, 5.5);
  EXPECT_EQ(bounds.upper, 9);
}

// Each bound misses the true median in at most the allowed share of trials, for any distribution.
TEST(OrderStatistics, BoundsHoldForAnyDistribution) {
  struct Distribution {
    const char *name;
    double (*value)(double uniform);
    double median;
  };
  const Distribution distributions[] = {
      {"Pareto", [](double u) { return 1 / u; }, 2},
      {"exponential", [](double u) { return -std::log(u); }, std::log(2.0)},
      {"Cauchy", [](double u) { return std::tan(M_PI * (u - 0.5)); }, 0},
  };
  constexpr int trials = 20000;
  std::mt19937_64 generator(7);
  for (const Distribution &distribution : distributions) {
    for (int64_t n : {16, 35}) {
      int above = 0, below = 0;
      for (int trial = 0; trial < trials; ++trial) {
        std::vector<double> values(static_cast<size_t>(n));
        for (double &value : values) {
          value = distribution.value((static_cast<double>(generator() >> 11) + 0.5) * 0x1p-53);
        }
        MedianBounds bounds = medianBounds(std::move(values), 0.02);
        above += bounds.lower > distribution.median;
        below += bounds.upper < distribution.median;
      }
      double exact = binomialUpperTail(n, upperBoundRank(n, 0.02));
      // The share of misses must be within five standard deviations of the tail's exact
      // probability, which is below the error.
      double spread = 5 * std::sqrt(exact / trials);
      EXPECT_NEAR(static_cast<double>(above) / trials, exact, spread) << distribution.name;
      EXPECT_NEAR(static_cast<double>(below) / trials, exact, spread) << distribution.name;
      EXPECT_LE(exact, 0.02);
    }
  }
}

} // namespace drumlin
