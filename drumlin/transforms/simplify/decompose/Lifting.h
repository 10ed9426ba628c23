// Functions of scalars, computed for each element of tensors of one shape.
#pragma once

#include "drumlin/transforms/simplify/decompose/TensorBuilder.h"

namespace drumlin {

// Whether the block's operations are elementwise ones on scalars, constants, and branches and loops
// of those.
bool isElementwise(mlir::Block &block);

// What the elementwise block returns for these arguments, tensors of the shape. Where elements take
// different branches all are computed, and each element selects; a loop goes on until all elements
// have left it, and those that have keep their values.
llvm::SmallVector<mlir::Value> lift(TensorBuilder &b, mlir::Block &block,
                                    mlir::ValueRange arguments, llvm::ArrayRef<int64_t> shape);

} // namespace drumlin
