// Moves transposes inside a kernel to where they are free: dots absorb them into their dimension
// numbers, broadcasts and constants are rewritten, and inverse pairs cancel.
#pragma once

#include "mlir/IR/Block.h"
#include "mlir/IR/Builders.h"

namespace drumlin {

// Returns the value with its dimensions permuted (result dimension i is dimension permutation[i] of
// `value`), rebuilt from the value's own operands if that is simpler than a transpose.
mlir::Value transposed(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                       llvm::ArrayRef<int64_t> permutation);

// Simplifies transposes in a kernel's region in place. The region keeps its arguments and the types
// that it yields.
void simplifyTransposes(mlir::Block &region);

} // namespace drumlin
