// Operations on values of bounded sizes, as operations on their buffers.
#pragma once

#include "drumlin/transforms/simplify/bounds/BoundedValues.h"

namespace drumlin {

// Of each result; nothing for an operation that isn't known.
using BoundedResults = std::optional<llvm::SmallVector<BoundedValue>>;

// The results of an operation without control flow, of these operands (one each; those without
// bounded dimensions are their own buffers). All is made before the operation.
BoundedResults padOperation(mlir::Operation *op, llvm::ArrayRef<BoundedValue> operands);

// The same of reductions, products and sorts (PadReductions.cpp).
BoundedResults padReduction(BoundedBuilder &b, mlir::Operation *op,
                            llvm::ArrayRef<BoundedValue> operands);

// For both.

mlir::RankedTensorType resultType(mlir::Operation *op, unsigned result = 0);
llvm::SmallVector<int64_t> allDimensions(mlir::Value x);
// All elements of so many dimensions count.
llvm::SmallVector<mlir::Value> noSizes(int64_t rank);
// A single result.
BoundedResults oneResult(mlir::Value buffer, llvm::SmallVector<mlir::Value> sizes,
                         bool keepsRest = false);
// The same operation on buffers, with results of these types.
mlir::Operation *cloneOn(BoundedBuilder &b, mlir::Operation *op, mlir::ValueRange operands,
                         mlir::TypeRange types);
mlir::Value valueOn(BoundedBuilder &b, mlir::Operation *op, mlir::ValueRange operands,
                    mlir::Type type);

} // namespace drumlin
