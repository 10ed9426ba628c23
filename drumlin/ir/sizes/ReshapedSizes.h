// Groups the dimensions of a reshape whose sizes are known only when the program runs.
#pragma once

#include "drumlin/ir/sizes/SizeSymbols.h"

namespace drumlin {

// Dimensions of an operand and of a result, from a first one up to an end.
struct ReshapedGroup {
  size_t from, endFrom, to, endTo;
};

// Consecutive dimensions of two shapes that have as many elements at every size: as few as can be.
llvm::SmallVector<ReshapedGroup> reshapedGroups(llvm::ArrayRef<SizeExpression> from,
                                                llvm::ArrayRef<SizeExpression> to);

// Whether an index in one shape is the other's divided by numbers that no call changes. A group's
// outermost dimension is no divisor.
bool hasKnownDivisors(const ReshapedGroup &group, llvm::ArrayRef<SizeExpression> from,
                      llvm::ArrayRef<SizeExpression> to);

} // namespace drumlin
