// Arguments that are the same at every call.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"

#include <span>

namespace drumlin {

// Gives the entry's arguments of these numbers the attribute `drumlin.static`, and takes it from
// those for which the program says `false`. Fails with UnknownArgument, with UnsupportedAttribute
// where the program says anything but true or false, and with StaticDonated where such an argument
// is donated.
Status markStatic(mlir::ModuleOp module, std::span<const int64_t> arguments);

} // namespace drumlin
