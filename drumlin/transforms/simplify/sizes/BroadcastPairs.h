// The pairs of sizes that must be compatible when a CHLO operation broadcasts its operands.
#pragma once

#include "drumlin/support/SizeExpression.h"
#include "mlir/IR/Operation.h"

#include <vector>

namespace drumlin {

struct BroadcastPair {
  size_t place; // dimension number in the operand of larger rank
  SizeExpression first, second;
};

// Returns the operands in the order in which they are broadcast. Returns an empty list for an
// operation that doesn't broadcast.
llvm::SmallVector<mlir::Value> broadcastOperands(mlir::Operation *op);

// Returns the pairs for two operands of these sizes. The first sizes may also be the common sizes
// of operands that are already broadcast together.
std::vector<BroadcastPair> broadcastPairs(mlir::Operation *op,
                                          const std::vector<SizeExpression> &first,
                                          const std::vector<SizeExpression> &second);

} // namespace drumlin
