// Where the results of a loop kernel are cut: on the two sides of a cut, other operands are read.
// So the code of each part has no condition of a concatenation's, a pad's, or a roll's.
#pragma once

#include "drumlin/ir/plan/PlanEnums.h"
#include "drumlin/ir/plan/loop/LoopProblem.h"

#include <vector>

namespace drumlin {

// The results at lower positions of a dimension are computed apart from those at this one and
// higher ones.
struct LoopCut {
  int64_t dimension = 0, position = 0;

  auto operator<=>(const LoopCut &) const = default;
};

// The positions at which a traversal of the kind divides the group's shape, in order. Conditions on
// one dimension alone are resolved by these; others, and those of sizes that are known when the
// program runs, stay in the code. Nothing where the parts' code would be too much.
std::vector<LoopCut> chooseCuts(plan::TraversalKind kind, const LoopGroup &group);

// Whether a traversal of the kind can have cuts in the dimension.
bool canCut(plan::TraversalKind kind, const LoopGroup &group, int64_t dimension);

// The positions of a dimension between two cuts.
struct CutRange {
  int64_t begin = 0, end = 0;
};
// The ranges into which the cuts divide a dimension of this size.
llvm::SmallVector<CutRange> cutRanges(llvm::ArrayRef<LoopCut> cuts, int64_t dimension,
                                      int64_t size);

} // namespace drumlin
