// Recognizes values after a GEMM that a library's epilogue can compute or read: masks of a relu,
// and sums that are bias gradients.
#pragma once

#include "drumlin/ir/indexing/StridedView.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/support/ElementType.h"

#include <optional>
#include <vector>

namespace drumlin {

// Returns whether the type is a float of at least 16 bits. Conversions among such types only round
// values.
bool isWideFloat(ElementType type);

// Returns the value from which `value` is computed by conversions between wide floats alone.
mlir::Value unconverted(mlir::Value value);

// If `mask` is true exactly where some value is above 0, returns this value; otherwise returns
// null.
mlir::Value positiveIn(mlir::Value mask);

// If the operation's result is equal to some value where `mask` is true, and 0 elsewhere, returns
// this value; otherwise returns null.
mlir::Value maskedValue(mlir::Operation *op, mlir::Value mask);

// Returns the number of the operand that a reduction sums along all contracting dimensions, or
// nothing if it reduces something else.
std::optional<unsigned> operandSummedBy(mlir::Operation *hero, stablehlo::ReduceOp reduce);

// Returns the view of a reduction's result along the dimensions of its operand.
StridedView viewOfSum(stablehlo::ReduceOp reduce);

// Converts a view's dimensions over a dot operand into dimensions over the dot's result; strides
// along the other operand's free dimensions are 0.
std::vector<StridedDimension> overResult(stablehlo::DotGeneralOp dot, unsigned operand,
                                         llvm::ArrayRef<StridedDimension> dimensions);

} // namespace drumlin
