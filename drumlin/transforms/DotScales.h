// Scales of dot operands: dot(a * s, b) = s * dot(a, b) if s is constant along the contracting
// dimensions.
#pragma once

#include "drumlin/ir/stablehlo/StablehloOps.h"

#include <optional>

namespace drumlin {

// A dot operand that is `values` multiplied by `scale`.
struct ScaledOperand {
  unsigned number;
  stablehlo::MulOp product;
  mlir::Value values, scale;
};

// Returns the outermost scale of an operand (the right factor if both qualify), or nothing if it
// has none or the dot has dynamic sizes.
std::optional<ScaledOperand> scaledOperand(stablehlo::DotGeneralOp dot, unsigned operand);

// Moves the scale from the operand to the dot's result, in the result's type.
void factorScale(stablehlo::DotGeneralOp dot, ScaledOperand scaled);

} // namespace drumlin
