// Multiplications whose products are added without intermediate rounding. The attribute `plan.fma`
// of an addition or subtraction is the number of the operand that is such a multiplication. A plan
// has this attribute only if the relaxation `contract` is allowed.
#pragma once

#include "drumlin/ir/stablehlo/MulOp.h"

#include <optional>

namespace drumlin::plan {

inline constexpr const char *fmaAttribute = "plan.fma";

// product + addend, each possibly negated.
struct FusedMultiplyAdd {
  stablehlo::MulOp product;
  mlir::Value addend;
  bool isProductNegated = false, isAddendNegated = false;
};

// Returns the fused operation in which this operand of `op` is the multiplication. Returns nothing
// if `op` is not an addition or subtraction of floats of at least 16 bits, or if the operand is not
// a multiplication in the same block.
std::optional<FusedMultiplyAdd> fusedMultiplyAdd(mlir::Operation *op, unsigned operand);
// Returns the fused operation that the attribute `plan.fma` of `op` specifies; nothing if the
// attribute is missing or names an operand that cannot be fused.
std::optional<FusedMultiplyAdd> fusedMultiplyAdd(mlir::Operation *op);

} // namespace drumlin::plan
