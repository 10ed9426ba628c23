// Results of the entry that have a static bound, but whose number of valid elements is known only
// at run time.
#pragma once

#include "drumlin/support/CountedResults.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace drumlin {

// Attribute of a result that lists its dimensions whose number of valid elements is known only at
// run time. These numbers are additional results of the entry. They follow all other results, in
// the order of the results and dimensions to which they belong.
inline constexpr llvm::StringLiteral boundedResultAttribute = "sizes.bounded";

// Returns a list for each result. The list is empty if all elements of the result are valid.
// Otherwise it has, for each dimension, the number of the additional result that counts the valid
// elements along the dimension, or -1 if all of them are valid.
std::vector<CountedBy> countsOfResults(mlir::func::FuncOp entry);

} // namespace drumlin
