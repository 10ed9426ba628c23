// Pairs: complex tensors in their memory format, as real tensors with an additional last dimension
// of size two for the real and imaginary parts.
#pragma once

#include "drumlin/transforms/simplify/complex/ComplexFunctions.h"
#include "mlir/IR/BuiltinTypes.h"

namespace drumlin {

// For a complex tensor: partType() returns the type of its real part, which is also that of its
// imaginary part; pairType() returns the type of its pairs.
mlir::RankedTensorType partType(mlir::Type type);
mlir::RankedTensorType pairType(mlir::Type type);

// Returns the type with the last `dropped` dimensions removed and dimensions of sizes `last`
// appended.
mlir::RankedTensorType withLast(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> last,
                                size_t dropped = 0);

// Returns one part of a tensor of pairs: 0 is the real part, 1 the imaginary part.
mlir::Value partOfPairs(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value pairs,
                        int64_t number);

// Returns the pairs of two parts. If both parts come from one tensor of pairs through equal data
// movement and have no other users, applies the data movement to the pairs instead.
mlir::Value pairsOf(mlir::OpBuilder &builder, mlir::Location loc, ComplexParts parts);

} // namespace drumlin
