// What a program's caller says about its arguments and results: layouts (`mhlo.layout_mode`, as JAX
// writes it), and which arguments are the same at every call.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"

#include <span>

namespace drumlin {

// Layouts may be `default` (row-major), `auto` (the compiler chooses), or an order from the fastest
// dimension to the slowest (`{0,1}`). Fails with UnsupportedAttribute for any other, and where a
// donated argument and the result that takes over its memory are asked for in different orders.
Status checkUserLayouts(mlir::ModuleOp module);

// Gives the arguments of these numbers the attribute `drumlin.static`, and takes it from those for
// which the program says `false`. Fails with UnknownArgument, with UnsupportedAttribute where the
// program says anything but true or false, and with StaticDonated where such an argument is
// donated.
Status markStatic(mlir::ModuleOp module, std::span<const int64_t> arguments);

} // namespace drumlin
