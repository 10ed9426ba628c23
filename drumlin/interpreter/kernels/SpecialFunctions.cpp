#include "drumlin/interpreter/kernels/SpecialFunctions.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace drumlin::interpreter {

// Winitzki's approximation (A handy approximation for the error function and its inverse, 2008) is
// good to 2e-3; each Halley step roughly triples the number of right digits. Near one, erf has lost
// what distinguishes y, so the step is taken on erfc against 1 - y, which is exact there.
long double erfInverse(long double y) {
  if (std::isnan(y) || std::fabs(y) > 1) {
    return std::numeric_limits<long double>::quiet_NaN();
  }
  if (y == 0) {
    return y;
  }
  if (std::fabs(y) == 1) {
    return std::copysign(std::numeric_limits<long double>::infinity(), y);
  }
  long double target = std::fabs(y);
  constexpr long double a = 0.147L;
  long double logarithm = std::log1p(-target) + std::log1p(target);
  long double half = 2 / (std::numbers::pi_v<long double> * a) + logarithm / 2;
  long double x = std::sqrt(std::fmax(std::sqrt(half * half - logarithm / a) - half, 0.0L));
  long double tiny = target * std::sqrt(std::numbers::pi_v<long double>) / 2;
  if (target < 1e-4L) {
    x = tiny;
  }
  for (int step = 0; step < 4; ++step) {
    long double error = target < 0.5L ? std::erf(x) - target : (1 - target) - std::erfc(x);
    long double slope = 2 * std::numbers::inv_sqrtpi_v<long double> * std::exp(-x * x);
    long double newton = error / slope;
    x -= newton / (1 + x * newton);
  }
  return std::copysign(x, y);
}

} // namespace drumlin::interpreter
