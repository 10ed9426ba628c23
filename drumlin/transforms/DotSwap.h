// transpose(dot(a, b)) = dot(b, a), if the transpose keeps the batch dimensions first and swaps the
// left operand's free dimensions with the right operand's.
#pragma once

#include "drumlin/ir/stablehlo/StablehloOps.h"

namespace drumlin {

// Returns the permutation of a transpose that swaps the dot's operands when applied to its result.
llvm::SmallVector<int64_t> swappedResult(stablehlo::DotGeneralOp dot);

// Creates the dot with swapped operands, marked so that reports use the program's wording
// (plan::swappedAttribute). The original dot is kept. A dot with an `algorithm` can't be swapped,
// because the algorithm names a type for each side.
stablehlo::DotGeneralOp swapOperands(mlir::OpBuilder &builder, stablehlo::DotGeneralOp dot);

} // namespace drumlin
