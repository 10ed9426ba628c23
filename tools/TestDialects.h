// Registers dialects that other StableHLO implementations' tests use around the tested operations.
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace drumlin {

// `arith`, `shape`, `tensor`, `sparse_tensor`, and dialects whose operations request inferred types
// and traits from the reference implementation's passes: their operations are only parsed.
void registerTestDialects(mlir::DialectRegistry &registry);

} // namespace drumlin
