// How far the sums of a plan may lie from the exact ones because of the widths and the orders in
// which native code adds their terms: the proved worst case of each kernel's schedule, as a
// function of its sizes. Roundings of the terms themselves aren't counted, but for those of
// products.
#pragma once

#include "drumlin/ir/plan/SumBound.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace drumlin {

// Of an operation of a kernel's region, or of a region of such a form: a product, a reduction, a
// window, a scatter or a prefix scan that adds floating-point numbers. Nothing for any other
// operation, and in a kernel that has no schedule yet.
std::optional<SumBound> sumBoundOf(mlir::Operation *op);

// The bound of a reduction that traversals of so many lanes compute, beside those of one register;
// nothing for other operations. `isAlongTerms`: all of them have their lanes along reduced
// elements.
std::optional<SumBound> boundOfReduction(mlir::Operation *op, llvm::ArrayRef<int64_t> widths,
                                         bool isAlongTerms = false);

} // namespace drumlin
