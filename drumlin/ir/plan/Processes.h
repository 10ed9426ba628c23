// The processes that a program is compiled for, and their numbering in operations.
#pragma once

#include "drumlin/support/ProcessGroups.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace drumlin {

// Returns the replicas and partitions in a module's attributes, one of each by default. The grid
// may be larger than compiled programs allow, or invalid.
GridShape gridOf(mlir::Operation *op);
void setGrid(mlir::Operation *module, const GridShape &grid);

// Pairs of source and target processes. The channel determines whether the pairs' ids are replicas
// or partitions; a pair connects processes that have the same other id.
struct PairedProcesses {
  // The source and target of each process; -1 if it has none.
  llvm::SmallVector<int64_t> sources, targets;
};
// Returns the pairs by process; ProcessGridMismatch if an id is outside the grid. `label` names the
// constraint in the error.
Result<PairedProcesses> pairedProcesses(mlir::DenseIntElementsAttr pairs, int64_t channel,
                                        const GridShape &grid, llvm::StringRef label);

} // namespace drumlin
