// Error bounds of a plan's sums, caused by the widths and the orders in which native code adds: the
// proved worst case of each kernel's schedule, as a function of its sizes. Rounding errors of the
// added values themselves are not included, except those of multiplications in dots and
// convolutions.
#pragma once

#include "drumlin/ir/plan/SumBound.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace drumlin {

// Returns the bound of an operation of a kernel's region, outlined or not: a dot, convolution,
// reduction, window, scatter or prefix scan that adds floating-point numbers. Nothing for any other
// operation, and in a kernel that has no schedule yet.
std::optional<SumBound> sumBoundOf(mlir::Operation *op);

// Returns the bound of a reduction that traversals with any of these numbers of lanes, or with
// those of one register, may compute; nothing for other operations. `isAlongTerms`: all traversals
// have their lanes along reduced elements.
std::optional<SumBound> boundOfReduction(mlir::Operation *op, llvm::ArrayRef<int64_t> widths,
                                         bool isAlongTerms = false);

} // namespace drumlin
