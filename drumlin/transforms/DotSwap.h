// transpose(dot(a, b)) = dot(b, a), where the transpose leaves batch dimensions in front and swaps
// what is free of the left operand with what is free of the right one.
#pragma once

#include "drumlin/ir/stablehlo/StablehloOps.h"

namespace drumlin {

// The permutation of such a transpose of the dot's result.
llvm::SmallVector<int64_t> swappedResult(stablehlo::DotGeneralOp dot);

// The dot of the swapped operands, marked so that reports keep the program's words
// (plan::swappedAttribute). The given one stays. A dot with an `algorithm` names its operands'
// types by side: it can't be swapped.
stablehlo::DotGeneralOp swapOperands(mlir::OpBuilder &builder, stablehlo::DotGeneralOp dot);

} // namespace drumlin
