// Replaces all values of bounded dynamic size in a program by buffers of the bounds' sizes and
// separate values for the sizes.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace drumlin {

// Whether a program without calls has values with bounds.
bool hasBounds(mlir::func::FuncOp main);

// Appends sizes of results as additional results (BoundedResults.h). Fails with
// UnsupportedDynamicShape for an unsupported operation on such values, and then leaves a malformed
// program.
Status padBounds(mlir::func::FuncOp main);

} // namespace drumlin
