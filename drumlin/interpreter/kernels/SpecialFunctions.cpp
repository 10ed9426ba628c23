#include "drumlin/interpreter/kernels/SpecialFunctions.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace drumlin::interpreter {

// Winitzki's approximation (A handy approximation for the error function and its inverse, 2008) has
// an error of at most 2e-3; each Halley step roughly triples the number of correct digits. Near
// one, erf(x) has lost the digits of y, so the step uses erfc and 1 - y, which is exact there.
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

// The coefficients of the Euler-Maclaurin formula, B(2k) / (2k)!.
static constexpr long double eulerMaclaurin[] = {
    1.0L / 12,          -1.0L / 720,
    1.0L / 30240,       -1.0L / 1209600,
    1.0L / 47900160,    -691.0L / 1307674368000,
    1.0L / 74724249600, -3617.0L / 10670622842880000,
};

// Near its roots, digamma cancels nearly all of f64's 53 bits, so it is computed with twice as wide
// numbers.
#if defined(__x86_64__)
using Quad = __float128;
extern "C" Quad logf128(Quad);
extern "C" Quad tanf128(Quad);
static Quad logarithm(Quad x) { return logf128(x); }
static Quad tangent(Quad x) { return tanf128(x); }
#else
using Quad = long double;
static Quad logarithm(Quad x) { return std::log(x); }
static Quad tangent(Quad x) { return std::tan(x); }
#endif

namespace {
struct Ratio {
  double numerator, denominator;
};
} // namespace

// The Bernoulli numbers B(2k), from k = 1 on.
static constexpr Ratio bernoulli[] = {{1, 6},
                                      {-1, 30},
                                      {1, 42},
                                      {-1, 30},
                                      {5, 66},
                                      {-691, 2730},
                                      {7, 6},
                                      {-3617, 510},
                                      {43867, 798},
                                      {-174611, 330},
                                      {854513, 138},
                                      {-236364091, 2730},
                                      {8553103, 6},
                                      {-23749461029, 870},
                                      {8615841276005, 14322}};

// Uses Abramowitz and Stegun 6.3.18 for x >= 40: log(x) - 1 / 2x - sum of B(2k) / 2k x^-2k. For
// these x, fifteen Bernoulli numbers leave an error below 2^-130. For smaller x, uses the
// recurrence 6.3.5.
static Quad digammaOfPositive(Quad x) {
  Quad result = 0;
  while (x < 40) {
    result -= 1 / x;
    x += 1;
  }
  Quad square = 1 / (x * x), power = square, series = 0;
  int twice = 2;
  for (Ratio ratio : bernoulli) {
    series += Quad(ratio.numerator) / Quad(ratio.denominator) / twice * power;
    power *= square;
    twice += 2;
  }
  return result + (logarithm(x) - 1 / (2 * x) - series);
}

// Negative numbers use the reflection, Abramowitz and Stegun 6.3.7.
long double digamma(long double x) {
  if (std::isnan(x) || (x <= 0 && x == std::floor(x))) {
    return std::numeric_limits<long double>::quiet_NaN();
  }
  if (std::isinf(x)) {
    return x;
  }
  if (x > 0) {
    return static_cast<long double>(digammaOfPositive(x));
  }
  // Only the exact distance of x from the nearest integer enters the tangent, whose period is one
  // here. Pi is the sum of two 64-bit numbers.
  Quad fraction = x - std::nearbyint(x);
  Quad pi = Quad(std::numbers::pi_v<long double>) + Quad(-5.01655761266833202355732708e-20L);
  return static_cast<long double>(digammaOfPositive(1 - Quad(x)) - pi / tangent(pi * fraction));
}

static Quad powerOf(Quad base, uint64_t exponent) {
  Quad power = 1;
  for (; exponent != 0; exponent >>= 1) {
    power *= (exponent & 1) != 0 ? base : 1;
    base *= base;
  }
  return power;
}

// Returns the sum of (q + k)^-n over k >= 0 for n > 1, q > 0. The terms with q + k < 40 are summed
// directly; the Euler-Maclaurin formula gives the remainder.
static Quad zetaOfInteger(uint64_t n, Quad q) {
  Quad sum = 0;
  while (q < 40) {
    sum += 1 / powerOf(q, n);
    q += 1;
  }
  Quad power = 1 / powerOf(q, n);
  sum += power * q / (n - 1) + power / 2;
  Quad factor = power * n / (2 * q);
  uint64_t twice = 2;
  for (Ratio ratio : bernoulli) {
    sum += Quad(ratio.numerator) / Quad(ratio.denominator) * factor;
    factor *= Quad(n + twice - 1) * Quad(n + twice) / Quad((twice + 1) * (twice + 2)) / (q * q);
    twice += 2;
  }
  return sum;
}

// Computes zeta for an integer x and a q < 0 that isn't an integer. Let n = x, and let r = q + m be
// the term's base that is nearest to zero. The sum has three parts:
// - the nearest term, r^-n;
// - the terms above it, zeta(n, 1 + r);
// - the m terms below it, (-1)^n (zeta(n, 1 - r) - zeta(n, m + 1 - r)).
// Terms of odd powers cancel, hence the Quad precision.
static long double zetaOfNegative(long double x, long double q) {
  bool isOdd = std::fmod(x, 2.0L) != 0;
  long double nearest = q - std::nearbyint(q);
  if (isOdd && std::fabs(nearest) == 0.5L) {
    return hurwitzZeta(x, 1 - q); // each term below zero cancels a term above zero
  }
  // For larger x, the nearest term overflows and alone decides the result: only the parity of x
  // matters.
  auto n = static_cast<uint64_t>(x < 1e6L ? x : isOdd ? 1000001 : 1000000);
  Quad first = 1 / powerOf(nearest, n);
  if (std::isinf(static_cast<long double>(first))) {
    return static_cast<long double>(first);
  }
  Quad below = zetaOfInteger(n, 1 - Quad(nearest)) - zetaOfInteger(n, 1 - Quad(q));
  Quad above = zetaOfInteger(n, 1 + Quad(nearest));
  return static_cast<long double>(first + (above + (isOdd ? -below : below)));
}

// Sums the first terms directly. The Euler-Maclaurin formula gives the remainder.
long double hurwitzZeta(long double x, long double q) {
  constexpr long double infinity = std::numeric_limits<long double>::infinity();
  constexpr long double nan = std::numeric_limits<long double>::quiet_NaN();
  if (x == 1) {
    return infinity;
  }
  if (std::isnan(q) || !(x > 1) || std::isinf(x) || q == infinity) {
    return nan;
  }
  if (q <= 0) {
    if (q == std::floor(q)) {
      return std::fmod(x, 2.0L) == 0 ? infinity : nan;
    }
    return x == std::floor(x) ? zetaOfNegative(x, q) : nan;
  }
  long double sum = 0;
  long double first = q;
  for (int k = 0; k < 16; ++k) {
    sum += std::pow(first, -x);
    first += 1;
  }
  long double power = std::pow(first, -x);
  sum += power * first / (x - 1) + power / 2;
  long double factor = x;
  power /= first;
  int k = 1;
  for (long double coefficient : eulerMaclaurin) {
    if (power == 0) {
      break; // `factor` may be infinite: infinity times 0 is NaN
    }
    sum += coefficient * factor * power;
    factor *= (x + 2 * k - 1) * (x + 2 * k);
    power /= first * first;
    ++k;
  }
  return sum;
}

// Computes n! zeta(n + 1, x) by logarithms, for the case that one factor overflows and the other
// underflows. Since x is then large, few terms are enough.
static long double factorialTimesZeta(long double n, long double x) {
  long double sum = 0;
  for (int k = 0; k < 64; ++k) {
    sum += std::exp(-(n + 1) * std::log1p(k / x));
  }
  return std::exp(std::lgamma(n + 1) - (n + 1) * std::log(x)) * sum;
}

long double polygamma(long double n, long double x) {
  if (std::isnan(n) || n < 0 || n != std::floor(n)) {
    return std::numeric_limits<long double>::quiet_NaN();
  }
  if (n == 0) {
    return digamma(x);
  }
  long double sign = std::fmod(n, 2.0L) == 0 ? -1 : 1;
  long double factorial = std::tgamma(n + 1), zeta = hurwitzZeta(n + 1, x);
  if (std::isinf(factorial) && zeta == 0) {
    // For x below zero, only the terms from 1 - x on remain, as in zetaOfNegative.
    return sign * factorialTimesZeta(n, x < 0 ? 1 - x : x);
  }
  return sign * factorial * zeta;
}

// Uses Abramowitz and Stegun 9.6.10 (power series, all terms of one sign) and 9.7.1 (asymptotic
// series).
long double besselI1e(long double x) {
  if (std::isnan(x)) {
    return x;
  }
  long double size = std::fabs(x);
  long double sum = 0;
  if (size <= 40) {
    long double quarter = size * size / 4;
    long double term = size / 2;
    for (int k = 1; term != 0 && sum + term != sum; ++k) {
      sum += term;
      term *= quarter / (static_cast<long double>(k) * (k + 1));
    }
    sum *= std::exp(-size);
  } else {
    long double term = 1;
    for (int k = 1; k <= 40 && sum + term != sum; ++k) {
      sum += term;
      long double odd = 2 * k - 1;
      term *= -(4 - odd * odd) / (k * 8 * size);
    }
    sum /= std::sqrt(2 * std::numbers::pi_v<long double> * size);
  }
  return std::copysign(sum, x);
}

} // namespace drumlin::interpreter
