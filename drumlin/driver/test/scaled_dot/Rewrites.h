// Random rewrites into equivalent forms of a program: its values stay the same.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <random>

namespace drumlin {

// Applies `count` rewrites to random operations of the module's function, then reorders the
// operations. All values stay the same, bit for bit.
void respell(mlir::ModuleOp module, int count, std::mt19937_64 &random);

} // namespace drumlin
