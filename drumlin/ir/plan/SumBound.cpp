#include "drumlin/ir/plan/SumBound.h"

#include <cmath>
#include <cstdio>
#include <limits>

namespace drumlin {

double unitRoundoff(ElementType type) {
  return std::ldexp(1.0, -1 - static_cast<int>(info(type).mantissaBits));
}

double SumBound::units() const {
  // (1 + u)^n - 1 <= n u / (1 - n u) where n u < 1 (Higham, "Accuracy and Stability of Numerical
  // Algorithms", lemma 3.1).
  double share = roundings * unitRoundoff(type);
  if (share >= 1) {
    return std::numeric_limits<double>::infinity();
  }
  // Rounds up to a number of 12 significant bits, so that plans print it in a few digits.
  double units = share / (1 - share) * 0x1p24;
  double step = units > 0 ? std::ldexp(1.0, std::ilogb(units) - 11) : 1;
  return std::ceil(units / step) * step;
}

std::string SumBound::str() const {
  char text[96];
  std::snprintf(text, sizeof(text),
                "%lld terms: within %.4g × 2^-24 of the sum of their magnitudes",
                static_cast<long long>(terms), units());
  return text;
}

} // namespace drumlin
