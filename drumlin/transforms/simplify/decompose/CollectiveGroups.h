// Which processes carry out a collective together, as tables by process. Source: StableHLO
// specification, "Collective ops".
#pragma once

#include "drumlin/ir/plan/Processes.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"

namespace drumlin {

// All vectors have an entry for each process.
struct CollectiveGroups {
  int64_t width = 0;                  // of the largest group
  llvm::SmallVector<int64_t> sources; // `width` for each: its group, then -1
  llvm::SmallVector<int64_t> sizes;   // of its group; 0 for one that is in none
  llvm::SmallVector<int64_t> places;  // in its group; 0 for one that is in none

  bool isUniform() const { return llvm::all_equal(sizes); }
};

// Whether the operation is one that processes carry out together, in groups or in pairs.
bool isCollective(mlir::Operation *op);

// Of a collective that has groups. ProcessGridMismatch where they don't fit the grid.
Result<CollectiveGroups> collectiveGroups(mlir::Operation *op, const GridShape &grid);

// Whether groups and pairs fit the grid and the operation's types; a located diagnostic.
Status checkCollective(mlir::Operation *op, const GridShape &grid);

// `stablehlo.all_reduce on channel 0`: operations meet others of their name and channel.
std::string meetingName(mlir::Operation *op);

} // namespace drumlin
