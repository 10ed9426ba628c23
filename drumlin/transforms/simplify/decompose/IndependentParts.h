// Splits reductions, windows and scatters of several operands into independent operations.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace drumlin {

// Splits a reduction, window or scatter of several operands if its body computes some results only
// from the arguments of their own operands. For example, a sum of complex numbers is two sums.
class IndependentParts {
public:
  explicit IndependentParts(mlir::Operation *op);
  bool areSeveral() const { return groups.getNumClasses() > 1; }
  // Inserts the independent operations before the original one and returns replacements for its
  // results.
  llvm::SmallVector<mlir::Value> separate();

private:
  void follow(mlir::Value value, unsigned i);
  mlir::Operation *take(mlir::OpBuilder &builder, llvm::ArrayRef<unsigned> members);

  mlir::Operation *op;
  mlir::Block &body;
  unsigned count = 0;
  llvm::EquivalenceClasses<unsigned> groups;
  llvm::SmallDenseSet<std::pair<mlir::Operation *, unsigned>> seen;
};

} // namespace drumlin
