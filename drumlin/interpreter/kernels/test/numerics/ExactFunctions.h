// What the interpreter's functions are compared with: MPFR and, for complex numbers, MPC.
#pragma once

#include "drumlin/interpreter/kernels/Elementwise.h"

#include <map>
#include <mpc.h>
#include <mpfr.h>

namespace drumlin::interpreter::exact {

// Bits of a reference result. A bf16 number has factors down to 2^-133, so that the second term of
// a series can lie that far behind the first and still decide a rounding.
constexpr mpfr_prec_t precision = 200;
// Of a complex reference, whose parts cancel.
constexpr mpfr_prec_t complexPrecision = 640;

// Operands and results are initialized by the caller. Special values are those of C and its Annex
// G; poles of digamma, zeta and polygamma as SpecialFunctions.h says.
using Real1 = void (*)(mpfr_t result, mpfr_srcptr x);
using Real2 = void (*)(mpfr_t result, mpfr_srcptr a, mpfr_srcptr b);
using Complex1 = void (*)(mpc_t result, mpc_srcptr x);
using Complex2 = void (*)(mpc_t result, mpc_srcptr a, mpc_srcptr b);

const std::map<UnaryOperation, Real1> &realUnary();
const std::map<BinaryOperation, Real2> &realBinary();
const std::map<UnaryOperation, Complex1> &complexUnary();
const std::map<BinaryOperation, Complex2> &complexBinary();

} // namespace drumlin::interpreter::exact
