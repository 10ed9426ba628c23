// Evaluation of a program of symbolic sizes at given values of its symbols.
#pragma once

#include "drumlin/ir/sizes/SizeSymbols.h"

namespace drumlin {

// Replaces symbolic sizes by their values, in types, in attributes that hold sizes, and in
// constants of one element. Afterwards, the entry has no symbols. Returns false if a size has no
// value or a negative value. In this case, the program is partly changed and invalid.
[[nodiscard]] bool instantiateSizes(mlir::Operation *root, const SizeExpression::Values &values);

// Replaces the nominal sizes of a program by the sizes at these values of the symbols. The program
// stays symbolic. Returns false if a size has no value.
[[nodiscard]] bool changeNominalSizes(mlir::Operation *root, const SizeExpression::Values &values);

enum class OtherSizes { Larger, Smaller };

// Returns values of the symbols that differ from the nominal values. Callers check properties a
// second time at these values. Returns no values for a program of static sizes. The values are
// larger or smaller than the nominal ones, as `wanted` requests, if the symbols' bounds and the
// constraints allow it. The values are chosen so that as few of `sizes` as possible keep their
// nominal values. If sizes are quotients, this may need values that are far from the nominal ones.
SizeExpression::Values otherValues(llvm::ArrayRef<SizeSymbol> symbols,
                                   llvm::ArrayRef<SizeConstraint> constraints, OtherSizes wanted,
                                   llvm::ArrayRef<SizeExpression> sizes = {});

// Whether a size that is 0 or 1 at the nominal values of the symbols may be larger at other values.
// Code that is specialized for the size 0 or 1 would be wrong at these values. Tries a few values
// of each symbol.
bool isMoreElsewhere(const SizeExpression &size, llvm::ArrayRef<SizeSymbol> symbols,
                     llvm::ArrayRef<SizeConstraint> constraints);

// Whether values are within the symbols' bounds and satisfy the constraints.
bool isAllowed(llvm::ArrayRef<SizeSymbol> symbols, llvm::ArrayRef<SizeConstraint> constraints,
               const SizeExpression::Values &values);

} // namespace drumlin
