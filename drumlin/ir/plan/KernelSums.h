// Bounds of the rounding errors of a plan's sums. The errors depend on the precision and the order
// in which native code adds. Each bound is the proved worst case of the kernel's schedule, as a
// function of its sizes. The bounds do not include rounding errors of the added values themselves,
// except for multiplications in dots and convolutions.
#pragma once

#include "drumlin/ir/plan/SumBound.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace drumlin {

// Returns the bound of an operation in a kernel's region, before or after outlining. The operation
// is a dot, convolution, reduction, window, scatter or prefix scan that adds floating-point
// numbers. Returns nothing for any other operation, or if the kernel has no schedule yet.
std::optional<SumBound> sumBoundOf(mlir::Operation *op);

// Returns the bound of a reduction; nothing for other operations. The bound holds for traversals
// with any number of lanes that `widths` lists, or with the lanes of one register. `isAlongTerms`:
// in all traversals, the lanes run along the reduced elements.
std::optional<SumBound> boundOfReduction(mlir::Operation *op, llvm::ArrayRef<int64_t> widths,
                                         bool isAlongTerms = false);

} // namespace drumlin
