// Random rewrites that change a program's spelling but none of its values.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <random>

namespace drumlin {

// Applies `count` rewrites at random places of the module's function, then reorders its operations.
// All values stay the same, bit for bit.
void respell(mlir::ModuleOp module, int count, std::mt19937_64 &random);

} // namespace drumlin
