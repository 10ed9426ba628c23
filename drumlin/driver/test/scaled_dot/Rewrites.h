// Random rewrites of a program that change its spelling and none of its values.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <random>

namespace drumlin {

// Applies so many rewrites at random places of the module's function, then writes its operations
// in another order. Every value of the program stays the same, bit for bit.
void respell(mlir::ModuleOp module, int count, std::mt19937_64 &random);

} // namespace drumlin
