// Sizes that only the run tells, within bounds, become values beside buffers of the bounds' sizes:
// of all values of the program that have bounds.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace drumlin {

// Whether a program without calls has values with bounds.
bool hasBounds(mlir::func::FuncOp main);

// Sizes of results become results behind all others (BoundedResults.h). Fails with
// UnsupportedDynamicShape for an operation on such values that isn't known, and leaves a program
// that isn't well-formed then.
Status padBounds(mlir::func::FuncOp main);

} // namespace drumlin
