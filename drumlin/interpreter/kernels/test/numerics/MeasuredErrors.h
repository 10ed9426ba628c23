// Measures errors of results in units in the last place (ULPs), and draws the operands for the
// measurements.
#pragma once

#include "drumlin/interpreter/kernels/test/numerics/ExactReal.h"
#include "drumlin/support/FloatFormats.h"

#include <complex>
#include <string>
#include <vector>

namespace drumlin::interpreter::exact {

// The error of a result that rounding can't explain: a misplaced NaN or infinity, or a wrong sign
// of zero.
constexpr double wrong = 1e30;

// Returns |got - exact| in units in the last place of `type` at the exact value. Infinity counts as
// the power of two above the largest number.
double ulpError(ElementType type, double got, mpfr_srcptr exact);

// Returns the bit pattern of the exact value rounded once to a type of at most 16 bits.
uint64_t roundedPattern(ElementType type, mpfr_srcptr exact);

// The largest error of a series of results, and its operands.
struct Worst {
  double ulps = 0;
  std::string where;
  void take(double error, const std::string &operands);
};
std::string textOf(double a);
std::string textOf(std::complex<double> a);

// A small random generator that gives the same numbers on all machines.
struct Draws {
  uint64_t state;
  uint64_t next();
  double unit(); // returns a number in [0, 1)
  double sign() { return (next() & 1) != 0 ? 1 : -1; }
};

// Returns operands for a real unary function, rounded to `type` (f32 or f64): edges, a sweep
// through all exponents, both signs, and points at which the function is hard to compute. `share`
// is the share of the random operands to draw; 1 means all of them.
std::vector<double> points(UnaryOperation operation, ElementType type, double share);

// Operand pairs for a binary function, without the pairs for which errors aren't measured
// (docs/numerics.md).
struct PointPairs {
  std::vector<double> a, b;
};
PointPairs points(BinaryOperation operation, ElementType type, double share);

// Returns complex numbers: with real and imaginary parts from 2^-100 to 2^`top`, near the axes,
// near the unit circle, and of moderate magnitude.
std::vector<std::complex<double>> complexPoints(ElementType type, uint64_t seed, double share,
                                                int top = 100);

} // namespace drumlin::interpreter::exact
