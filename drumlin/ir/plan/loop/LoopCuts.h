// Positions at which the results of a loop kernel are divided because results on the two sides read
// different operands. The code for the results between two cuts needs no conditions for a
// concatenation, a pad, or a roll.
#pragma once

#include "drumlin/ir/plan/PlanEnums.h"
#include "drumlin/ir/plan/loop/LoopProblem.h"

#include <vector>

namespace drumlin {

// A cut before a position of a dimension: results at lower positions are computed separately from
// results at this position and above.
struct LoopCut {
  int64_t dimension = 0, position = 0;

  auto operator<=>(const LoopCut &) const = default;
};

// The limit on the parts into which cuts divide a dimension.
inline constexpr int64_t maxLoopParts = 32;

// Returns the positions at which a traversal of kind `kind` divides the group's shape, in ascending
// order. Cuts remove conditions that depend on a single dimension. Conditions on several dimensions
// or on symbolic sizes stay in the code. A dimension has no cuts if they would make the code too
// large.
std::vector<LoopCut> chooseCuts(plan::TraversalKind kind, const LoopGroup &group);

// Whether a traversal of kind `kind` can have cuts in the dimension.
bool canCut(plan::TraversalKind kind, const LoopGroup &group, int64_t dimension);

// The positions of a dimension between two neighbouring cuts.
struct CutRange {
  int64_t begin = 0, end = 0;
};
// Returns the ranges into which the cuts divide a dimension of size `size`.
llvm::SmallVector<CutRange> cutRanges(llvm::ArrayRef<LoopCut> cuts, int64_t dimension,
                                      int64_t size);

} // namespace drumlin
