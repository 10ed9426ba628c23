// How an operation takes part in kernels: what all phases ask.
#pragma once

#include "drumlin/ir/indexing/OperationClass.h"

namespace drumlin {

// Of operations of other dialects Other.
OperationClass classify(mlir::Operation *op);

// Whether the element emitter can compute the operation anywhere in a kernel.
bool isFusible(mlir::Operation *op);

// A shape operation that a kernel's index arithmetic absorbs for nothing: it may be computed again
// for each user.
bool isFree(mlir::Operation *op);

// Data movement of one operand that repeats and drops nothing and brings dimensions into another
// order.
bool transposes(mlir::Operation *op);

// Returns the dot or convolution of a kernel's body; null where it has none.
mlir::Operation *contractionOf(mlir::Block &body);

// Arithmetic operations for one result element (IndexingInterface.td).
int64_t operationsPerElement(mlir::Operation *op);

} // namespace drumlin
