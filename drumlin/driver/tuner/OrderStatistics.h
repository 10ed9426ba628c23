// Medians with bounds that are valid for any distribution.
//
// Each of n independent samples is below the distribution's median with probability 1/2 at most.
// The k-th smallest sample is below the median only if at least k samples are. The probability of
// this is at most P(B(n, 1/2) >= k), where B is the binomial distribution. See David and Nagaraja,
// Order Statistics, 3rd edition, section 7.1.
#pragma once

#include <cstdint>
#include <vector>

namespace drumlin {

// Returns P(B(n, 1/2) >= k).
double binomialUpperTail(int64_t n, int64_t k);

// Returns the smallest k (counted from 1) such that the k-th smallest of n samples is below the
// median with probability `error` at most; 0 if n is too small.
int64_t upperBoundRank(int64_t n, double error);

// Returns the middle value, or the mean of the middle two; 0 for no values.
double median(std::vector<double> values);

struct MedianBounds {
  double lower = 0, median = 0, upper = 0;
};

// Returns bounds of the median, each wrong with probability `error` at most. If there are too few
// values, the bounds are 0 and infinity, since values are times or ratios of times.
MedianBounds medianBounds(std::vector<double> values, double error);

} // namespace drumlin
