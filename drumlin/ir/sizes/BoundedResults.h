// Results of the entry of which only the run tells how many elements count, within bounds.
#pragma once

#include "drumlin/support/CountedResults.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace drumlin {

// On a result: the dimensions of which only the run tells how many elements count. The numbers are
// results behind all others, in the order of these.
inline constexpr llvm::StringLiteral boundedResultAttribute = "sizes.bounded";

// For each result and each dimension the result that counts its elements, or -1; empty lists where
// all count.
std::vector<CountedBy> countsOfResults(mlir::func::FuncOp entry);

} // namespace drumlin
