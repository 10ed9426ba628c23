// Layouts that a program asks for: `mhlo.layout_mode` on arguments and results, as JAX writes it.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

// Arguments and results are row-major. Takes `default`, `auto` (so chosen), and row-major spelled
// out
// (`{1,0}`: dimensions from the fastest on). Fails with UnsupportedAttribute for any other.
Status checkUserLayouts(mlir::ModuleOp module);

} // namespace drumlin
