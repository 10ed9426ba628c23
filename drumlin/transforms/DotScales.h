// Scales of dot operands: dot(a * s, b) = s * dot(a, b) if s is constant along the contracting
// dimensions.
#pragma once

#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/MulOp.h"

#include <optional>

namespace drumlin {

// A dot operand that is `values` multiplied by `scale`.
struct ScaledOperand {
  unsigned number;
  stablehlo::MulOp product;
  mlir::Value values, scale;
};

// Returns the outermost scale of an operand; if both factors of the multiplication qualify, the
// right one. Returns nothing if the operand has no scale or the dot has dynamic sizes.
std::optional<ScaledOperand> scaledOperand(stablehlo::DotGeneralOp dot, unsigned operand);

// Multiplies the dot's result instead of the operand by the scale. Converts the scale to the
// result's element type.
void factorScale(stablehlo::DotGeneralOp dot, ScaledOperand scaled);

} // namespace drumlin
