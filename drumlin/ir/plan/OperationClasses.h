// An operation's role in kernels, as all phases see it.
#pragma once

#include "drumlin/ir/indexing/OperationClass.h"

namespace drumlin {

// Returns the operation's class; Other for operations of other dialects.
OperationClass classify(mlir::Operation *op);

// Whether the element emitter can compute the operation anywhere in a kernel.
bool isFusible(mlir::Operation *op);

// Whether a kernel's index arithmetic absorbs the operation at no cost, so that it may be
// recomputed for each user.
bool isFree(mlir::Operation *op);

// Whether the operation moves the elements of one operand, keeps each element exactly once, and
// reorders dimensions.
bool transposes(mlir::Operation *op);

// Returns the dot or convolution of a kernel's body, or null.
mlir::Operation *contractionOf(mlir::Block &body);

// Returns the number of arithmetic operations per result element (IndexingInterface.td).
int64_t operationsPerElement(mlir::Operation *op);

} // namespace drumlin
