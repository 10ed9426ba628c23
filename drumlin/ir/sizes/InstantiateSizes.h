// A program of symbolic sizes at some values of its symbols: the program that says these sizes.
#pragma once

#include "drumlin/ir/sizes/SizeSymbols.h"

namespace drumlin {

// Types get their sizes at these values, and so do attributes that hold sizes and constants of one
// value; the entry has no symbols any more. False where a size has no value or a negative one: what
// is left then is neither the one program nor the other.
[[nodiscard]] bool instantiateSizes(mlir::Operation *root, const SizeExpression::Values &values);

// The same program with other nominal sizes.
[[nodiscard]] bool changeNominalSizes(mlir::Operation *root, const SizeExpression::Values &values);

enum class OtherSizes { Larger, Smaller };

// Values of the symbols other than the nominal ones, at which what holds at those has to hold as
// well; none for a program of static sizes. They are larger or smaller where the symbols' bounds
// and the constraints allow it, and such that these sizes are others, too: quotients change late.
SizeExpression::Values otherValues(llvm::ArrayRef<SizeSymbol> symbols,
                                   llvm::ArrayRef<SizeConstraint> constraints, OtherSizes wanted,
                                   llvm::ArrayRef<SizeExpression> sizes = {});

// Whether a size that is 0 or 1 at the nominal values is larger at others: what is made for those
// would be wrong there. A few values of each symbol are tried.
bool isMoreElsewhere(const SizeExpression &size, llvm::ArrayRef<SizeSymbol> symbols,
                     llvm::ArrayRef<SizeConstraint> constraints);

// Whether values are within the symbols' bounds and satisfy the constraints.
bool isAllowed(llvm::ArrayRef<SizeSymbol> symbols, llvm::ArrayRef<SizeConstraint> constraints,
               const SizeExpression::Values &values);

} // namespace drumlin
