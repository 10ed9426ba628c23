// How the simplify phase applies rewrite patterns.
#pragma once

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace drumlin {

// To each operation inside, until none applies. Constants keep their places and locations: the
// driver's own merging would take away where they come from, and `cse` merges them later.
inline mlir::LogicalResult applyPatterns(mlir::Operation *root, mlir::RewritePatternSet patterns) {
  mlir::GreedyRewriteConfig config;
  config.enableConstantCSE(false);
  return mlir::applyPatternsGreedily(root, std::move(patterns), config);
}

} // namespace drumlin
