// Reductions, windows and scatters that are several at once.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace drumlin {

// A reduction, window or scatter of several operands whose body computes some of its results from
// their own arguments alone is several ones: sums of complex numbers are two sums.
class IndependentParts {
public:
  explicit IndependentParts(mlir::Operation *op);
  bool areSeveral() const { return groups.getNumClasses() > 1; }
  // Makes them before the operation; the values that its results are.
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
