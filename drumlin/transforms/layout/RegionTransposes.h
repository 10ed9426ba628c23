// Transposes inside a kernel, brought to where they cost nothing: dots take them up in their
// dimension numbers, broadcasts and constants in what they are, and pairs of them cancel.
#pragma once

#include "mlir/IR/Block.h"
#include "mlir/IR/Builders.h"

namespace drumlin {

// The operation's value with its dimensions in this order (result dimension i is the value's
// dimension permutation[i]), made of what the value is made of where that is simpler than a
// transpose.
mlir::Value transposed(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                       llvm::ArrayRef<int64_t> permutation);

// Rewrites a kernel's region in place; its arguments and the types that it yields stay.
void simplifyTransposes(mlir::Block &region);

} // namespace drumlin
