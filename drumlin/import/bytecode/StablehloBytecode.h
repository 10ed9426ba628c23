// Reads attributes and types of the `stablehlo` dialect from MLIR bytecode in the reference
// implementation's encoding. Drumlin writes them in text form instead, which bytecode allows.
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace drumlin {

void registerStablehloBytecode(mlir::DialectRegistry &registry);

} // namespace drumlin
