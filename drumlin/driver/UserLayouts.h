// Checks the layouts that a program's caller requests (`mhlo.layout_mode`, as JAX writes it).
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

// Checks that each layout is `default` (row-major), `auto` (the compiler chooses), or an order from
// the fastest dimension to the slowest (`{0,1}`). Fails with UnsupportedAttribute for any other
// layout. Also fails if a donated argument and the result that reuses its memory have different
// orders.
Status checkUserLayouts(mlir::ModuleOp module);

} // namespace drumlin
