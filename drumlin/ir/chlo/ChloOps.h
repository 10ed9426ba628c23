// The `chlo` dialect and its operations.
#pragma once

#include "drumlin/ir/stablehlo/StablehloOperation.h"

#include "drumlin/ir/chlo/ChloDialect.h.inc"
#include "drumlin/ir/chlo/ChloEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "drumlin/ir/chlo/ChloAttributes.h.inc"

namespace drumlin::chlo {

// Returns the common shape to which two operands are broadcast. `dimensions` lists the result
// dimensions that correspond to the dimensions of the operand of smaller rank; by default, these
// are the last dimensions. If one operand has size 1 along a dimension, the result has the size of
// the other operand. An unknown size (kDynamic) and a known size other than 1 give the known size.
// If both sizes are unknown, the size of the result is kDynamic. Returns nothing if the sizes are
// incompatible.
std::optional<llvm::SmallVector<int64_t>>
broadcastShape(llvm::ArrayRef<int64_t> lhs, llvm::ArrayRef<int64_t> rhs,
               std::optional<llvm::ArrayRef<int64_t>> dimensions = std::nullopt);

IndexingMap broadcastIndexing(mlir::OpOperand &operand, unsigned result,
                              std::optional<llvm::ArrayRef<int64_t>> dimensions);

mlir::LogicalResult verifyBroadcasts(mlir::Operation *op);

template <typename ConcreteOp>
class Broadcasts : public mlir::OpTrait::TraitBase<ConcreteOp, Broadcasts> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifyBroadcasts(op); }
};

} // namespace drumlin::chlo

#define GET_OP_CLASSES
#include "drumlin/ir/chlo/ChloOps.h.inc"
