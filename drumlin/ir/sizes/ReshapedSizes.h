// Groups of dimensions of a reshape with symbolic sizes.
#pragma once

#include "drumlin/ir/sizes/SizeSymbols.h"

namespace drumlin {

// Dimensions of an operand and of a result, from a first one to an exclusive end.
struct ReshapedGroup {
  size_t from, endFrom, to, endTo;
};

// Returns the smallest groups of consecutive dimensions of two shapes that have equally many
// elements at all sizes.
llvm::SmallVector<ReshapedGroup> reshapedGroups(llvm::ArrayRef<SizeExpression> from,
                                                llvm::ArrayRef<SizeExpression> to);

// Whether an index in one shape is computed from the index in the other by division by numbers that
// are the same at every call. A group's outermost dimension is no divisor.
bool hasKnownDivisors(const ReshapedGroup &group, llvm::ArrayRef<SizeExpression> from,
                      llvm::ArrayRef<SizeExpression> to);

} // namespace drumlin
