// Errors of results in units in the last place of their type, and the points at which they are
// taken.
#pragma once

#include "drumlin/interpreter/kernels/test/numerics/ExactReal.h"
#include "drumlin/support/FloatFormats.h"

#include <complex>
#include <string>
#include <vector>

namespace drumlin::interpreter::exact {

// What no rounding explains: a NaN or an infinity in the wrong place, or a wrong sign of zero.
constexpr double wrong = 1e30;

// |got - exact| in units in the last place of `type` at the exact value. Infinity counts as the
// power of two behind the largest number.
double ulpError(ElementType type, double got, mpfr_srcptr exact);

// The bit pattern that the exact value has once rounded to a type of at most 16 bits.
uint64_t roundedPattern(ElementType type, mpfr_srcptr exact);

// The largest error of a row of results, and the operands that led to it.
struct Worst {
  double ulps = 0;
  std::string where;
  void take(double error, const std::string &operands);
};
std::string textOf(double a);
std::string textOf(std::complex<double> a);

// A small generator, so that the points are the same everywhere.
struct Draws {
  uint64_t state;
  uint64_t next();
  double unit(); // in [0, 1)
  double sign() { return (next() & 1) != 0 ? 1 : -1; }
};

// Operands for a function of one real number, rounded to `type` (f32 or f64): edges, a sweep
// through all exponents, both signs, and the places where the function is hard. `share` is how many
// of the random ones are drawn, 1 being all.
std::vector<double> points(UnaryOperation operation, ElementType type, double share);

// Pairs for a function of two; those that it isn't measured for (see docs/numerics.md) are left
// out.
struct PointPairs {
  std::vector<double> a, b;
};
PointPairs points(BinaryOperation operation, ElementType type, double share);

// Numbers with parts from 2^-100 to 2^`top`, near the axes, near the unit circle, and of common
// size.
std::vector<std::complex<double>> complexPoints(ElementType type, uint64_t seed, double share,
                                                int top = 100);

} // namespace drumlin::interpreter::exact
