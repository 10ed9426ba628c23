// Replaces all values of bounded dynamic size in a program by buffers of the bounds' sizes and
// separate values for the sizes.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace drumlin {

// Returns whether a program without calls has values of bounded size.
bool hasBounds(mlir::func::FuncOp main);

// Replaces the values, and appends the sizes of results as additional results (BoundedResults.h).
// Fails with UnsupportedDynamicShape for an unsupported operation on values of bounded size. The
// program is then malformed.
Status padBounds(mlir::func::FuncOp main);

} // namespace drumlin
