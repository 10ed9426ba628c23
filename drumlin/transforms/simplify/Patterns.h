// Applies rewrite patterns in the simplify phase.
#pragma once

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace drumlin {

// Applies patterns to each operation inside `root` until none applies. Constants are not moved or
// merged and keep their locations: the driver's merging would lose locations, and `cse` merges
// constants later.
inline mlir::LogicalResult applyPatterns(mlir::Operation *root, mlir::RewritePatternSet patterns) {
  mlir::GreedyRewriteConfig config;
  config.enableConstantCSE(false);
  return mlir::applyPatternsGreedily(root, std::move(patterns), config);
}

} // namespace drumlin
