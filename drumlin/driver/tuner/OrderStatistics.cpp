#include "drumlin/driver/tuner/OrderStatistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace drumlin {

// Returns ln P(B(n, 1/2) = k).
static double logProbability(int64_t n, int64_t k) {
  auto real = [](int64_t x) { return static_cast<double>(x); };
  return std::lgamma(real(n + 1)) - std::lgamma(real(k + 1)) - std::lgamma(real(n - k + 1)) -
         real(n) * std::log(2.0);
}

double binomialUpperTail(int64_t n, int64_t k) {
  double sum = 0;
  for (int64_t i = n; i >= std::max<int64_t>(k, 0); --i) {
    sum += std::exp(logProbability(n, i));
  }
  return std::min(sum, 1.0);
}

int64_t upperBoundRank(int64_t n, double error) {
  double sum = 0;
  int64_t rank = 0;
  // Adds probabilities from the largest rank downwards while the sum is at most `error`.
  for (int64_t k = n; k >= 1; --k) {
    sum += std::exp(logProbability(n, k));
    if (sum > error) {
      break;
    }
    rank = k;
  }
  return rank;
}

// Returns the k-th smallest value, counted from 1; reorders the values.
static double kthSmallest(std::vector<double> &values, int64_t k) {
  auto at = values.begin() + (k - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

static double medianInPlace(std::vector<double> &values) {
  if (values.empty()) {
    return 0;
  }
  auto n = static_cast<int64_t>(values.size());
  double upper = kthSmallest(values, n / 2 + 1);
  if (n % 2 == 1) {
    return upper;
  }
  return (*std::max_element(values.begin(), values.begin() + n / 2) + upper) / 2;
}

double median(std::vector<double> values) { return medianInPlace(values); }

MedianBounds medianBounds(std::vector<double> values, double error) {
  MedianBounds bounds;
  bounds.median = medianInPlace(values);
  bounds.upper = std::numeric_limits<double>::infinity();
  auto n = static_cast<int64_t>(values.size());
  if (int64_t rank = upperBoundRank(n, error)) {
    bounds.upper = kthSmallest(values, rank);
    bounds.lower = kthSmallest(values, n + 1 - rank);
  }
  return bounds;
}

} // namespace drumlin
