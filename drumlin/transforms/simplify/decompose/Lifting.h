// Applies functions of scalars to each element of tensors of one shape.
#pragma once

#include "drumlin/transforms/simplify/decompose/TensorBuilder.h"

namespace drumlin {

// Whether the block has only elementwise operations on scalars, constants, and branches and loops
// of those.
bool isElementwise(mlir::Block &block);

// Returns the elementwise block's results for tensor arguments of one shape. If elements take
// different branches, computes all branches and selects per element; a loop runs until all elements
// have left it, and those that have left keep their values.
llvm::SmallVector<mlir::Value> lift(TensorBuilder &b, mlir::Block &block,
                                    mlir::ValueRange arguments, const TensorShape &shape);

// Whether a kernel can apply the block to elements: operations on scalars, no branches or loops.
bool isFunctionOfScalars(mlir::Block &block);

// Returns the results of any block of scalar functions for the elements of tensors: lifted if it is
// elementwise, otherwise in a loop over the elements. For scalars it is inlined.
llvm::SmallVector<mlir::Value> applyToElements(TensorBuilder &b, mlir::Block &block,
                                               mlir::ValueRange arguments,
                                               const TensorShape &shape);

} // namespace drumlin
