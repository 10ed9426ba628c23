// Counts what a kernel does by doing it: every element of every result, one after another.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "mlir/IR/Block.h"

#include <map>
#include <set>
#include <vector>

namespace drumlin {

// Multiply-adds of a dot or convolution whose two factors are elements, one by one.
int64_t countMultiplyAdds(mlir::Operation *op);

struct BruteCounts {
  std::map<mlir::Operation *, int64_t> evaluations;   // of elements, by operation
  std::map<mlir::Operation *, int64_t> multiplyAdds;  // of dots and convolutions, on elements
  std::vector<std::set<std::vector<int64_t>>> inputs; // the elements read of each argument
};

// For kernels of pointwise operations, data movement other than gathers, whole reductions, and a
// dot or convolution whose operands are read once each.
BruteCounts countByEvaluation(mlir::Block &region);

} // namespace drumlin
