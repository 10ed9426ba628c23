// Reference results for real functions of the interpreter and of native code, by MPFR.
#pragma once

#include "drumlin/interpreter/kernels/EvaluateElementwise.h"

#include <map>
#include <mpfr.h>
#include <vector>

namespace drumlin::interpreter::exact {

// The precision of a reference result in bits. bf16 numbers may be as small as 2^-133, so the
// second term of a series may be 2^133 times smaller than the first and still decide a rounding.
constexpr mpfr_prec_t precision = 200;

// The caller initializes operands and results. Special values are as in C; at the poles of
// digamma, zeta and polygamma they are as in SpecialFunctions.h.
using Real1 = void (*)(mpfr_t result, mpfr_srcptr x);
using Real2 = void (*)(mpfr_t result, mpfr_srcptr a, mpfr_srcptr b);

const std::map<UnaryOperation, Real1> &realUnary();
const std::map<BinaryOperation, Real2> &realBinary();

// An interval in which the function neither overflows nor rounds to a constant. Most operands are
// drawn from the intervals of the function, equally many from each interval.
struct Interval {
  double first, end;
};
std::vector<Interval> intervals(UnaryOperation operation);

} // namespace drumlin::interpreter::exact
