// Complex tensors in their memory format: real tensors with an additional last dimension for the
// two parts.
#pragma once

#include "drumlin/transforms/simplify/complex/ComplexFunctions.h"
#include "mlir/IR/BuiltinTypes.h"

namespace drumlin {

// Return the type of a complex tensor's parts, and of its pairs.
mlir::RankedTensorType partType(mlir::Type type);
mlir::RankedTensorType pairType(mlir::Type type);

// Returns the type with `dropped` dimensions removed and dimensions of sizes `last` appended.
mlir::RankedTensorType withLast(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> last,
                                size_t dropped = 0);

// Returns one part of a tensor of pairs: 0 is the real part, 1 the imaginary part.
mlir::Value partOfPairs(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value pairs,
                        int64_t number);

// Returns the pairs of two parts. If both parts are moved alike from one tensor of pairs and the
// moved parts have no other users, moves the pairs as a whole.
mlir::Value pairsOf(mlir::OpBuilder &builder, mlir::Location loc, ComplexParts parts);

} // namespace drumlin
