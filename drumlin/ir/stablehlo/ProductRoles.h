// The roles of the dimensions of a dot_general's operands (StableHLO specification, dot_general).
#pragma once

#include "mlir/IR/Value.h"

#include "llvm/ADT/SmallVector.h"

#include <array>
#include <optional>

namespace drumlin::stablehlo {
class DotGeneralOp;
}

namespace drumlin::stablehlo {

struct ProductRoles {
  ProductRoles() = default;
  explicit ProductRoles(DotGeneralOp dot);

  // Dimension numbers by role. Batch and contracting dimensions are in the operation's order: the
  // i-th dimension of one operand corresponds to the i-th dimension of the other operand. Free
  // dimensions ascend.
  struct Operand {
    llvm::SmallVector<int64_t> batch, free, contracting;
  };
  std::array<Operand, 2> operands;
  const Operand &lhs() const { return operands[0]; }
  const Operand &rhs() const { return operands[1]; }

  // The result has the batch dimensions first, then the free dimensions of lhs and of rhs.
  size_t batchCount() const { return lhs().batch.size(); }
  size_t firstFree(unsigned operand) const {
    return batchCount() + (operand == 0 ? 0 : lhs().free.size());
  }
  llvm::SmallVector<int64_t> batchInResult() const;
  llvm::SmallVector<int64_t> freeInResult(unsigned operand) const;
  // Returns the result dimension that corresponds to an operand's dimension; nothing for a
  // contracting dimension.
  std::optional<size_t> inResult(unsigned operand, int64_t dimension) const;
};

} // namespace drumlin::stablehlo
