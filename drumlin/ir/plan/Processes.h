// The processes that a program is compiled for, and their numbers in operations.
#pragma once

#include "drumlin/support/ProcessGroups.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace drumlin {

// What a module's attributes say of replicas and partitions; one where they say nothing. May be
// larger than a compiled program's grid, or no grid at all.
GridShape gridOf(mlir::Operation *op);
void setGrid(mlir::Operation *module, const GridShape &grid);

// Pairs of a source and a target, whose ids the channel says: of replicas or of partitions. They
// connect processes that agree in the other id.
struct PairedProcesses {
  // By process; -1 where there is none.
  llvm::SmallVector<int64_t> sources, targets;
};
// ProcessGridMismatch where a pair names an id that the grid lacks; `label`: of the constraint.
Result<PairedProcesses> pairedProcesses(mlir::DenseIntElementsAttr pairs, int64_t channel,
                                        const GridShape &grid, llvm::StringRef label);

} // namespace drumlin
