// Reference results for the interpreter's complex functions, by MPC.
#pragma once

#include "drumlin/interpreter/kernels/EvaluateElementwise.h"

#include <map>
#include <mpc.h>

namespace drumlin::interpreter::exact {

// The precision of a reference result in bits. It is high, since addends of the real or imaginary
// part may cancel.
constexpr mpfr_prec_t complexPrecision = 640;

// The caller initializes operands and results. Special values are those of C's Annex G.
using Complex1 = void (*)(mpc_t result, mpc_srcptr x);
using Complex2 = void (*)(mpc_t result, mpc_srcptr a, mpc_srcptr b);

const std::map<UnaryOperation, Complex1> &complexUnary();
const std::map<BinaryOperation, Complex2> &complexBinary();

} // namespace drumlin::interpreter::exact
