#include "drumlin/interpreter/kernels/test/numerics/MeasuredErrors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <numbers>

using namespace drumlin;
using namespace drumlin::interpreter;

//===-- errors --------------------------------------------------------------------------------===//

double exact::ulpError(ElementType type, double got, mpfr_srcptr exact) {
  if (mpfr_nan_p(exact) || std::isnan(got)) {
    return (mpfr_nan_p(exact) != 0) == std::isnan(got) ? 0 : wrong;
  }
  if (got == 0 && std::signbit(got) != (mpfr_signbit(exact) != 0)) {
    return wrong;
  }
  if (mpfr_zero_p(exact)) {
    return got == 0 ? 0 : wrong;
  }
  if (mpfr_inf_p(exact)) {
    return std::isinf(got) && std::signbit(got) == (mpfr_signbit(exact) != 0) ? 0 : wrong;
  }
  const ElementTypeInfo &format = info(type);
  long least = 1 - format.exponentBias;
  long most = format.exponentBias;
  mpfr_t difference;
  mpfr_init2(difference, mpfr_get_prec(exact));
  if (std::isinf(got)) {
    // If the exact value is beyond the last rounding boundary, infinity is the correct result.
    mpfr_set_ui_2exp(difference, 1, most + 1, MPFR_RNDN);
    mpfr_setsign(difference, difference, std::signbit(got), MPFR_RNDN);
    bool isBeyond = mpfr_cmpabs(exact, difference) >= 0 && mpfr_sgn(exact) == mpfr_sgn(difference);
    mpfr_sub(difference, exact, difference, MPFR_RNDN);
    if (isBeyond) {
      mpfr_clear(difference);
      return 0;
    }
  } else {
    mpfr_sub_d(difference, exact, got, MPFR_RNDN);
  }
  long exponent = std::clamp<long>(mpfr_get_exp(exact) - 1, least, most);
  mpfr_mul_2si(difference, difference, static_cast<long>(format.mantissaBits) - exponent,
               MPFR_RNDN);
  double error = std::fabs(mpfr_get_d(difference, MPFR_RNDN));
  mpfr_clear(difference);
  return std::isnan(error) ? wrong : std::min(error, wrong);
}

// Rounds to odd first: the last bit of the double records whether there was a remainder. The second
// rounding then knows on which side of a boundary the value is.
uint64_t exact::roundedPattern(ElementType type, mpfr_srcptr exact) {
  double value = mpfr_get_d(exact, MPFR_RNDZ);
  if (!mpfr_nan_p(exact) && mpfr_cmp_d(exact, value) != 0) {
    value = std::bit_cast<double>(std::bit_cast<uint64_t>(value) | 1);
  }
  return encode(type, value);
}

void exact::Worst::take(double error, const std::string &operands) {
  if (error > ulps) {
    ulps = error;
    where = operands;
  }
}

std::string exact::textOf(double a) {
  char text[48];
  std::snprintf(text, sizeof(text), "%a", a);
  return text;
}
std::string exact::textOf(std::complex<double> a) {
  return "(" + textOf(a.real()) + ", " + textOf(a.imag()) + ")";
}

//===-- points --------------------------------------------------------------------------------===//

uint64_t exact::Draws::next() {
  state += 0x9e3779b97f4a7c15ull;
  uint64_t z = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}
double exact::Draws::unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

// Roots, poles, ends of the domain, and points at which common algorithms switch formulas. Each is
// tested with both signs.
static const double hardPlaces[] = {
    1,
    2,
    3,
    4,
    0.5,
    0.25,
    std::numbers::pi,
    std::numbers::pi / 2,
    std::numbers::pi / 4,
    11 * std::numbers::pi / 2,
    0x1.6ac5b262ca1ffp849, // the f64 number nearest to a multiple of pi / 2
    0x1.921fb54442d18p19,
    1.4616321449683623, // digamma's positive root, and two negative ones
    0.504083008264455409,
    1.573498473162390459,
    2.457024738220800, // lgamma's first negative roots
    2.747682646727413,
    3.143580888349981,
    709.78271289338397,
    745.13321910194122,
    88.7228394,
    103.972084,
    26.543258,
    10.05,
    40,
    200};

std::vector<double> exact::points(UnaryOperation operation, ElementType type, double share) {
  const ElementTypeInfo &format = info(type);
  constexpr double inf = std::numeric_limits<double>::infinity();
  int least = 1 - format.exponentBias, digits = static_cast<int>(format.mantissaBits);
  double tiny = std::ldexp(1.0, least - digits);
  std::vector<double> list = {0,
                              tiny,
                              3 * tiny,
                              std::ldexp(1.0, least) - tiny,
                              largestFinite(type),
                              inf,
                              std::ldexp(1.0, digits),
                              std::ldexp(1.0, digits + 1) - 1,
                              std::numeric_limits<double>::quiet_NaN()};
  Draws draws{17};
  for (double place : hardPlaces) {
    for (int steps = -3; steps <= 3; ++steps) {
      double near = roundTo(type, place);
      list.push_back(near + steps * std::ldexp(std::exp2(std::floor(std::log2(near))), -digits));
    }
    for (int k = 0; k < static_cast<int>(100 * share); ++k) {
      list.push_back(place * (1 + std::exp2(-draws.unit() * (digits + 1)) * draws.sign()));
    }
  }
  auto perExponent = std::max(1, static_cast<int>(8 * share));
  int step = type == ElementType::F64 && share < 1 ? 5 : 1;
  for (int exponent = least - digits; exponent <= format.exponentBias; exponent += step) {
    list.push_back(std::ldexp(1.0, exponent));
    list.push_back(std::ldexp(2 - std::ldexp(1.0, -digits), exponent));
    for (int k = 0; k < perExponent; ++k) {
      list.push_back(std::ldexp(1 + draws.unit(), exponent));
    }
  }
  for (size_t i = 0, count = list.size(); i < count; ++i) {
    list.push_back(-list[i]);
  }
  for (Interval interval : intervals(operation)) {
    for (int k = 0; k < static_cast<int>(12000 * share); ++k) {
      list.push_back(interval.first + (interval.end - interval.first) * draws.unit());
    }
  }
  for (double &value : list) {
    value = roundTo(type, value);
  }
  return list;
}

// Draws a second operand that fits the first, so that the result neither overflows nor vanishes.
static double partner(BinaryOperation operation, double a, exact::Draws &draws, double spread) {
  if (operation == BinaryOperation::Power) {
    return (draws.next() & 3) == 0 ? std::floor(draws.unit() * 64) * draws.sign()
                                   : draws.unit() * draws.sign() * spread / std::log(std::fabs(a));
  }
  double bits =
      operation == BinaryOperation::Remainder ? draws.unit() * 60 - 55 : draws.unit() * 60 - 30;
  return a * draws.sign() * std::exp2(bits);
}

exact::PointPairs exact::points(BinaryOperation operation, ElementType type, double share) {
  PointPairs pairs;
  Draws draws{23};
  auto add = [&](double a, double b) {
    pairs.a.push_back(roundTo(type, a));
    pairs.b.push_back(roundTo(type, b));
  };
  bool isSum = operation == BinaryOperation::Polygamma || operation == BinaryOperation::Zeta;
  if (isSum) {
    for (int k = 0; k < static_cast<int>(6000 * share); ++k) {
      double first = operation == BinaryOperation::Zeta
                         ? 1 + std::exp2(draws.unit() * 12 - 6)
                         : std::floor(draws.unit() * (type == ElementType::F64 ? 30 : 12));
      add(first, std::exp2(draws.unit() * 20 - 10));
      // If the first operand is an integer, the second may be negative. At half-integers, terms of
      // odd powers cancel.
      add(std::floor(first) + 1, -std::exp2(draws.unit() * 14 - 9));
      add(std::floor(first) + 1, -std::floor(draws.unit() * 32) - 0.5);
    }
    return pairs;
  }
  const ElementTypeInfo &format = info(type);
  double tiny = std::ldexp(1.0, 1 - format.exponentBias - static_cast<int>(format.mantissaBits));
  constexpr double inf = std::numeric_limits<double>::infinity();
  std::vector<double> edges = {0,
                               1,
                               2,
                               3,
                               0.5,
                               tiny,
                               3 * tiny,
                               largestFinite(type),
                               1e10,
                               0.1,
                               7.5,
                               1e-10,
                               0x1p23,
                               0x1p52,
                               0x1p63,
                               inf,
                               std::numeric_limits<double>::quiet_NaN()};
  for (size_t i = 0, count = edges.size(); i < count; ++i) {
    edges.push_back(-edges[i]);
  }
  for (double a : edges) {
    for (double b : edges) {
      add(a, b);
    }
  }
  double spread = type == ElementType::F64 ? 740 : 100;
  int exponents = 2 * format.exponentBias;
  for (int k = 0; k < static_cast<int>(40000 * share); ++k) {
    double a = std::ldexp(1 + draws.unit(),
                          static_cast<int>(draws.unit() * exponents) - format.exponentBias);
    a = (k & 1) != 0 ? a : draws.unit() * 10;
    add(a * (operation == BinaryOperation::Power ? 1 : draws.sign()),
        partner(operation, a, draws, spread));
  }
  return pairs;
}

std::vector<std::complex<double>> exact::complexPoints(ElementType type, uint64_t seed,
                                                       double share, int top) {
  ElementType part = type == ElementType::C64 ? ElementType::F32 : ElementType::F64;
  std::vector<std::complex<double>> list;
  Draws draws{seed};
  auto add = [&](double a, double b) { list.emplace_back(roundTo(part, a), roundTo(part, b)); };
  auto wide = [&](int exponents) {
    return draws.sign() *
           std::exp2(draws.unit() * (exponents + std::min<int>(exponents, top)) - exponents);
  };
  for (int k = 0; k < static_cast<int>(600 * share); ++k) {
    add(wide(100), wide(100));
    add(wide(5), wide(5));
    add((2 * draws.unit() - 1) * 4, (2 * draws.unit() - 1) * 4);
    double size = wide(5);
    add(size, size * wide(60)); // near one axis
    double angle = 2 * std::numbers::pi * draws.unit();
    double radius = 1 + draws.sign() * std::exp2(-30 * draws.unit());
    add(radius * std::cos(angle), radius * std::sin(angle));
  }
  return list;
}
