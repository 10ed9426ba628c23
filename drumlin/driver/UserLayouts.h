// The layouts that a program's caller asks for (`mhlo.layout_mode`, as JAX writes it).
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

// Layouts may be `default` (row-major), `auto` (the compiler chooses), or an order from the fastest
// dimension to the slowest (`{0,1}`). Fails with UnsupportedAttribute for any other, and where a
// donated argument and the result that takes over its memory are asked for in different orders.
Status checkUserLayouts(mlir::ModuleOp module);

} // namespace drumlin
