// How the reference implementation writes attributes and types of the `stablehlo` dialect in MLIR
// bytecode. Reading only: ours are written as text, which bytecode allows.
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace drumlin {

void registerStablehloBytecode(mlir::DialectRegistry &registry);

} // namespace drumlin
