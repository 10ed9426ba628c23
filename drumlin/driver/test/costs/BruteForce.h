// Counts a kernel's work by evaluating every element of every result.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "mlir/IR/Block.h"

#include <map>
#include <set>
#include <vector>

namespace drumlin {

// Counts the multiply-adds of a dot or convolution one by one, without multiplications by padding.
int64_t countMultiplyAdds(mlir::Operation *op);

struct BruteCounts {
  // The number of evaluated elements of each operation.
  std::map<mlir::Operation *, int64_t> evaluations;
  // The number of multiply-adds of each dot or convolution, without padding.
  std::map<mlir::Operation *, int64_t> multiplyAdds;
  // For each argument, the indices of the elements that are read.
  std::vector<std::set<std::vector<int64_t>>> inputs;
};

// Counts the work of a kernel. Supports pointwise operations, data movement except gathers, full
// reductions, and a dot or convolution that reads each operand once.
BruteCounts countByEvaluation(mlir::Block &region);

} // namespace drumlin
