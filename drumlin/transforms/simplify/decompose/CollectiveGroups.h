// Tables that list, for each process, the processes with which it carries out a collective. Source:
// StableHLO specification, "Collective ops".
#pragma once

#include "drumlin/ir/plan/Processes.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"

namespace drumlin {

// All vectors have one entry per process, unless noted.
struct CollectiveGroups {
  int64_t width = 0;                  // size of the largest group
  llvm::SmallVector<int64_t> sources; // `width` entries per process: its group, padded with -1
  llvm::SmallVector<int64_t> sizes;   // size of the process's group; 0 without a group
  llvm::SmallVector<int64_t> places;  // position of the process in its group; 0 without a group

  bool isUniform() const { return llvm::all_equal(sizes); }
};

// Returns whether processes carry out the operation together, in groups or in pairs.
bool isCollective(mlir::Operation *op);

// Returns the groups of a collective. Fails with ProcessGridMismatch if they don't fit the grid.
Result<CollectiveGroups> collectiveGroups(mlir::Operation *op, const GridShape &grid);

// Checks that groups and pairs fit the grid and the operation's types; fails with a located
// diagnostic.
Status checkCollective(mlir::Operation *op, const GridShape &grid);

// Returns the operation's name and channel, e.g. `stablehlo.all_reduce on channel 0`. Processes
// meet at operations with equal names and channels.
std::string meetingName(mlir::Operation *op);

} // namespace drumlin
