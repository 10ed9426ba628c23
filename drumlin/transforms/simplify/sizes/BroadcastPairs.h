// Which sizes meet where an operation of CHLO broadcasts its operands to each other.
#pragma once

#include "drumlin/support/SizeExpression.h"
#include "mlir/IR/Operation.h"

#include <vector>

namespace drumlin {

struct BroadcastPair {
  size_t place; // of the dimension in the operand of larger rank
  SizeExpression first, second;
};

// The operands in the order in which they are broadcast to each other; none of other operations.
llvm::SmallVector<mlir::Value> broadcastOperands(mlir::Operation *op);

// Of two operands of these sizes, or of what some are broadcast to and another operand.
std::vector<BroadcastPair> broadcastPairs(mlir::Operation *op,
                                          const std::vector<SizeExpression> &first,
                                          const std::vector<SizeExpression> &second);

} // namespace drumlin
