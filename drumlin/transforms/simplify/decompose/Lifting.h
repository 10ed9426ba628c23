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
                                    mlir::ValueRange arguments, const TensorShape &shape);

// What a kernel applies to elements: operations on scalars without branches and loops.
bool isFunctionOfScalars(mlir::Block &block);

// What the block, any function of scalars, returns for the elements of tensors of the shape: lifted
// where it is elementwise, else in a loop over the elements. Without dimensions it stands in line.
llvm::SmallVector<mlir::Value> applyToElements(TensorBuilder &b, mlir::Block &block,
                                               mlir::ValueRange arguments,
                                               const TensorShape &shape);

} // namespace drumlin
