// Recognizes values behind a product that a library's epilogue makes or reads: masks of a relu, and
// sums that are gradients of biases.
#pragma once

#include "drumlin/ir/indexing/StridedView.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/support/ElementType.h"

#include <optional>
#include <vector>

namespace drumlin {

// A float of 16 bits or more: numbers keep their size, up to rounding, from one to another.
bool isWideFloat(ElementType type);

// The same numbers, up to rounding, before conversions between such types.
mlir::Value unconverted(mlir::Value value);

// Of a value that says where another one is above 0, that one; null for anything else.
mlir::Value positiveIn(mlir::Value mask);

// Of an operation that keeps a value where a mask says so, and is 0 elsewhere, that value; null for
// anything else.
mlir::Value maskedValue(mlir::Operation *op, mlir::Value mask);

// The operand that a reduction combines along all contracted dimensions; nothing where it reduces
// anything else.
std::optional<unsigned> operandSummedBy(mlir::Operation *hero, stablehlo::ReduceOp reduce);

// Where the elements of a reduction's result lie, along the dimensions of what it reduces.
StridedView viewOfSum(stablehlo::ReduceOp reduce);

// A view's dimensions over an operand of the dot, as dimensions over the dot's result: along the
// other operand's free dimensions it doesn't change.
std::vector<StridedDimension> overResult(stablehlo::DotGeneralOp dot, unsigned operand,
                                         llvm::ArrayRef<StridedDimension> dimensions);

} // namespace drumlin
