// The processes for which a program is compiled, and how operations number them.
#pragma once

#include "drumlin/support/ProcessGroups.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace drumlin {

// Returns the numbers of replicas and partitions that a module's attributes specify; the default is
// one of each. The returned grid may be invalid, or larger than compiled programs allow.
GridShape gridOf(mlir::Operation *op);
void setGrid(mlir::Operation *module, const GridShape &grid);

// Pairs of source and target processes. The channel determines whether the pairs' ids are those of
// replicas or of partitions. A pair of replica ids connects processes of the same partition. A pair
// of partition ids connects processes of the same replica.
struct PairedProcesses {
  // For each process, the process from which it receives, and the process to which it sends; -1 if
  // there is none.
  llvm::SmallVector<int64_t> sources, targets;
};
// Returns the source and the target of each process, or the error ProcessGridMismatch if an id is
// outside the grid. `label` identifies the constraint in the error message.
Result<PairedProcesses> pairedProcesses(mlir::DenseIntElementsAttr pairs, int64_t channel,
                                        const GridShape &grid, llvm::StringRef label);

} // namespace drumlin
