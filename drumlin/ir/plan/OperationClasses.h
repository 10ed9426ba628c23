// How an operation takes part in kernels: one classification for all phases.
#pragma once

#include "mlir/IR/Operation.h"

namespace drumlin {

enum class OperationClass {
  Constant,  // known at compile time; copied into every kernel that uses it
  Move,      // only says where elements come from: reshape, transpose, broadcast, slice, pad,
             // concatenate, iota …
  Pointwise, // one result element from one element of each operand
  Gather,    // elements come from where other elements say: gather, dynamic_slice,
             // dynamic_update_slice
  Reduction, // reduce, reduce_window
  Hero,    // shapes a kernel of its own: dot, convolution, sort, top_k, scatter, select_and_scatter
  Control, // while, if, case
  Other,   // no kernel takes it
};
OperationClass classify(mlir::Operation *op);

// Whether the element emitter can compute the operation anywhere in a kernel.
bool isFusible(mlir::Operation *op);

// A shape operation that a kernel's index arithmetic absorbs for nothing: it may be computed again
// for each user.
bool isFree(mlir::Operation *op);

// Arithmetic operations for one result element, as the cost model counts them; a transcendental
// function counts as the operations of its polynomial.
int64_t operationsPerElement(mlir::Operation *op);

} // namespace drumlin
