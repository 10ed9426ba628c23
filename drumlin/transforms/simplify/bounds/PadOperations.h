// Rewrites operations on values of bounded sizes as operations on their buffers.
#pragma once

#include "drumlin/transforms/simplify/bounds/BoundedValues.h"

namespace drumlin {

// One value per result; nothing for an unsupported operation.
using BoundedResults = std::optional<llvm::SmallVector<BoundedValue>>;

// Computes the results of an operation without control flow. `operands` has one value per operand;
// an operand without bounded dimensions is its own buffer. Inserts new operations before `op`.
BoundedResults padOperation(mlir::Operation *op, llvm::ArrayRef<BoundedValue> operands);

// Computes the results of a reduction, dot, convolution or sort in the same way
// (PadReductions.cpp).
BoundedResults padReduction(BoundedBuilder &b, mlir::Operation *op,
                            llvm::ArrayRef<BoundedValue> operands);

// Helpers of PadOperations.cpp and PadReductions.cpp.

mlir::RankedTensorType resultType(mlir::Operation *op, unsigned result = 0);
llvm::SmallVector<int64_t> allDimensions(mlir::Value x);
// Returns the sizes of a value of `rank` dimensions without a bound: all null.
llvm::SmallVector<mlir::Value> noSizes(int64_t rank);
// Returns a single result.
BoundedResults oneResult(mlir::Value buffer, llvm::SmallVector<mlir::Value> sizes,
                         bool keepsRest = false);
// Clones the operation with these buffers as operands and these result types.
mlir::Operation *cloneOn(BoundedBuilder &b, mlir::Operation *op, mlir::ValueRange operands,
                         mlir::TypeRange types);
mlir::Value valueOn(BoundedBuilder &b, mlir::Operation *op, mlir::ValueRange operands,
                    mlir::Type type);

} // namespace drumlin
