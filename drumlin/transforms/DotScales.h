// Scales of dots' operands: dot(a * s, b) = s * dot(a, b) where s is the same along the contracted
// dimensions.
#pragma once

#include "drumlin/ir/stablehlo/StablehloOps.h"

#include <optional>

namespace drumlin {

// A dot's operand, `values` multiplied with `scale`.
struct ScaledOperand {
  unsigned number;
  stablehlo::MulOp product;
  mlir::Value values, scale;
};

// The outermost scale of an operand, the right factor where both could be it. Nothing where it has
// none, and of dots with sizes that the run tells.
std::optional<ScaledOperand> scaledOperand(stablehlo::DotGeneralOp dot, unsigned operand);

// Multiplies the dot's result instead, in its type.
void factorScale(stablehlo::DotGeneralOp dot, ScaledOperand scaled);

} // namespace drumlin
