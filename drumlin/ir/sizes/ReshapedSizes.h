// Groups of dimensions of a reshape with symbolic sizes.
#pragma once

#include "drumlin/ir/sizes/SizeSymbols.h"

namespace drumlin {

// A range of an operand's dimensions and a range of a result's dimensions, each with an exclusive
// end.
struct ReshapedGroup {
  size_t from, endFrom, to, endTo;
};

// Returns the smallest groups of consecutive dimensions that have the same number of elements in
// both shapes, for all values of the symbols.
llvm::SmallVector<ReshapedGroup> reshapedGroups(llvm::ArrayRef<SizeExpression> from,
                                                llvm::ArrayRef<SizeExpression> to);

// Whether an index in one shape can be computed from the index in the other shape with divisors
// that are the same at every call. The size of a group's outermost dimension is not a divisor.
bool hasKnownDivisors(const ReshapedGroup &group, llvm::ArrayRef<SizeExpression> from,
                      llvm::ArrayRef<SizeExpression> to);

} // namespace drumlin
