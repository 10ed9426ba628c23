// transpose(dot(a, b)) = dot(b, a), if the transpose keeps the batch dimensions first and swaps the
// left operand's free dimensions with the right operand's.
#pragma once

#include "drumlin/ir/stablehlo/DotGeneralOp.h"

namespace drumlin {

// Returns the permutation of the dot's result that is equivalent to swapping the dot's operands.
llvm::SmallVector<int64_t> swappedResult(stablehlo::DotGeneralOp dot);

// Creates the dot with swapped operands and keeps the original dot. The new dot is marked
// (plan::swappedAttribute), so that reports use the program's wording. A dot with an `algorithm`
// can't be swapped, because the algorithm names a type for each side.
stablehlo::DotGeneralOp swapOperands(mlir::OpBuilder &builder, stablehlo::DotGeneralOp dot);

} // namespace drumlin
