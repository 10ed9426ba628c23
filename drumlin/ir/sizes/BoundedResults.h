// Results of the entry that have a static bound, but whose number of valid elements is known only
// at run time.
#pragma once

#include "drumlin/support/CountedResults.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace drumlin {

// Attribute of a result with those of its dimensions whose number of valid elements is known only
// at run time. The numbers are additional results of the entry, after all other results and in the
// same order.
inline constexpr llvm::StringLiteral boundedResultAttribute = "sizes.bounded";

// Returns, for each result and dimension, the result that counts its valid elements, or -1; an
// empty list for a result whose elements are all valid.
std::vector<CountedBy> countsOfResults(mlir::func::FuncOp entry);

} // namespace drumlin
