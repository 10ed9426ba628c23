// Products that are added without being rounded: `plan.fma` on the addition or subtraction is the
// number of the operand that is such a product. It stands in a plan only where the relaxation
// `contract` is allowed.
#pragma once

#include "drumlin/ir/stablehlo/StablehloOps.h"

#include <optional>

namespace drumlin::plan {

inline constexpr const char *fmaAttribute = "plan.fma";

// product + addend, each with its sign.
struct FusedMultiplyAdd {
  stablehlo::MulOp product;
  mlir::Value addend;
  bool isProductNegated = false, isAddendNegated = false;
};

// What the operation would be with the product in this operand fused; nothing unless it adds or
// subtracts floats of 16 bits and more, and the operand is a product that its own block computes.
std::optional<FusedMultiplyAdd> fusedMultiplyAdd(mlir::Operation *op, unsigned operand);
// What the operation's attribute says; nothing where it has none, or none that fits.
std::optional<FusedMultiplyAdd> fusedMultiplyAdd(mlir::Operation *op);

} // namespace drumlin::plan
