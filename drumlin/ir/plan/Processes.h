// The processes for which a program is compiled, and how operations number them.
#pragma once

#include "drumlin/support/ProcessGroups.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace drumlin {

// Returns the replicas and partitions in a module's attributes, one of each by default. The grid
// may be larger than compiled programs allow, or invalid.
GridShape gridOf(mlir::Operation *op);
void setGrid(mlir::Operation *module, const GridShape &grid);

// Pairs of source and target processes. The channel determines whether the pairs' ids are those of
// replicas or of partitions. A pair of replicas connects processes of the same partition, and a
// pair of partitions processes of the same replica.
struct PairedProcesses {
  // The source and target of each process; -1 if it has none.
  llvm::SmallVector<int64_t> sources, targets;
};
// Returns the source and target of each process; ProcessGridMismatch if an id is outside the grid.
// `label` identifies the constraint in the error message.
Result<PairedProcesses> pairedProcesses(mlir::DenseIntElementsAttr pairs, int64_t channel,
                                        const GridShape &grid, llvm::StringRef label);

} // namespace drumlin
