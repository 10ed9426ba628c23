// What the math functions are compared with, by operation as MathFunctions.def names it.
#pragma once

#include <map>
#include <mpfr.h>
#include <string>

namespace references {

// Bits of a reference result: the error of an f64 result is read off the 80 that it doesn't have.
constexpr mpfr_prec_t ReferencePrecision = 140;

using Mpfr1 = int (*)(mpfr_t, mpfr_srcptr, mpfr_rnd_t);
using Mpfr2 = int (*)(mpfr_t, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
const std::map<std::string, Mpfr1> &exactUnary();
const std::map<std::string, Mpfr2> &exactBinary();

// In f64 by the C library, good enough to judge f32.
using Reference1 = double (*)(double);
using Reference2 = double (*)(double, double);
const std::map<std::string, Reference1> &referenceUnary();
const std::map<std::string, Reference2> &referenceBinary();

} // namespace references
