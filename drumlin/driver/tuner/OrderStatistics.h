// Medians with bounds that hold for any distribution.
//
// Of n independent samples, each lies below the distribution's median with probability 1/2 at most,
// whatever the distribution is. So the k-th smallest lies below the median only if k or more
// samples do: with probability P(B(n, 1/2) >= k) at most, B being the binomial distribution. See
// David and Nagaraja, Order Statistics, 3rd edition, section 7.1.
#pragma once

#include <cstdint>
#include <vector>

namespace drumlin {

// P(B(n, 1/2) >= k).
double binomialUpperTail(int64_t n, int64_t k);

// The smallest k (counted from 1) such that the k-th smallest of n samples is below the median with
// probability `error` at most; 0: n samples are too few for any.
int64_t upperBoundRank(int64_t n, double error);

// The middle one, or the mean of the middle two; 0 of none.
double median(std::vector<double> values);

struct MedianBounds {
  double lower = 0, median = 0, upper = 0;
};

// Each bound is wrong with probability `error` at most; where there are too few values, they are 0
// and infinity: the values are times or ratios of times.
MedianBounds medianBounds(std::vector<double> values, double error);

} // namespace drumlin
