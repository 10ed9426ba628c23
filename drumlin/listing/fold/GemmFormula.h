// Describes calls of GEMM libraries as formulas.
#pragma once

#include "drumlin/hlo/library/GemmCall.h"
#include "drumlin/listing/fold/CallFormula.h"

namespace drumlin::listing {

// Returns a formula such as `relu(a_scale * a·bᵀ + bias) where a = x, b = w, a_scale = s, bias =
// v`. Scales that are the constant 1 are left out of the product, but listed like all operands.
CallFormula gemmFormula(const Instruction &instruction, const hlo::GemmCall &call);

} // namespace drumlin::listing
