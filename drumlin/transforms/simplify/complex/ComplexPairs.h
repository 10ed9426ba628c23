// Complex tensors as they lie in memory: real ones with one more dimension, the last, of the two
// parts.
#pragma once

#include "drumlin/transforms/simplify/complex/ComplexFunctions.h"
#include "mlir/IR/BuiltinTypes.h"

namespace drumlin {

// The type of a complex tensor's parts, and of its pairs.
mlir::RankedTensorType partType(mlir::Type type);
mlir::RankedTensorType pairType(mlir::Type type);

// The type with dimensions of these sizes behind its own, of which `dropped` are left out.
mlir::RankedTensorType withLast(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> last,
                                size_t dropped = 0);

// A part of a tensor of pairs: 0, the real one, or 1.
mlir::Value partOfPairs(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value pairs,
                        int64_t number);

// The pairs of two parts. Where both are moved alike from one tensor of pairs, and nothing else
// reads what is moved, the pairs are moved as they lie.
mlir::Value pairsOf(mlir::OpBuilder &builder, mlir::Location loc, ComplexParts parts);

} // namespace drumlin
