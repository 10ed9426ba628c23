// Applies functions of scalars to each element of tensors of one shape.
#pragma once

#include "drumlin/transforms/simplify/decompose/TensorBuilder.h"

namespace drumlin {

// Returns whether the block has only constants, elementwise operations on scalars, and branches and
// loops of such operations.
bool isElementwise(mlir::Block &block);

// Returns the results of an elementwise block for tensor arguments of one shape. If elements take
// different branches, computes all branches and selects per element. A loop runs until the
// condition is false for all elements; elements for which it is already false keep their values.
llvm::SmallVector<mlir::Value> lift(TensorBuilder &b, mlir::Block &block,
                                    mlir::ValueRange arguments, const TensorShape &shape);

// Returns whether a kernel can apply the block to elements: it has only operations on scalars, and
// no branches or loops.
bool isFunctionOfScalars(mlir::Block &block);

// Returns the results of a function of scalars, given by any block, for the elements of tensors. An
// elementwise block is lifted; any other block becomes a loop over the elements. For scalar
// arguments the block is inlined.
llvm::SmallVector<mlir::Value> applyToElements(TensorBuilder &b, mlir::Block &block,
                                               mlir::ValueRange arguments,
                                               const TensorShape &shape);

} // namespace drumlin
