// What functions of real numbers are compared with, the interpreter's as well as those of native
// code: MPFR.
#pragma once

#include "drumlin/interpreter/kernels/Elementwise.h"

#include <map>
#include <mpfr.h>
#include <vector>

namespace drumlin::interpreter::exact {

// Bits of a reference result. A bf16 number has factors down to 2^-133, so that the second term of
// a series can lie that far behind the first and still decide a rounding.
constexpr mpfr_prec_t precision = 200;

// Operands and results are initialized by the caller. Special values are those of C; poles of
// digamma, zeta and polygamma as SpecialFunctions.h says.
using Real1 = void (*)(mpfr_t result, mpfr_srcptr x);
using Real2 = void (*)(mpfr_t result, mpfr_srcptr a, mpfr_srcptr b);

const std::map<UnaryOperation, Real1> &realUnary();
const std::map<BinaryOperation, Real2> &realBinary();

// Where the function neither overflows nor is constant to the last digit: what most of its operands
// are drawn from, as many from each interval.
struct Interval {
  double first, end;
};
std::vector<Interval> intervals(UnaryOperation operation);

} // namespace drumlin::interpreter::exact
