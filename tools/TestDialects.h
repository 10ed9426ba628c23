// Registers the dialects that the tests of other StableHLO implementations use in addition to
// StableHLO.
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace drumlin {

// Registers `arith`, `shape`, `tensor`, `sparse_tensor`, and dialects whose operations ask the
// reference implementation's passes for inferred types and traits. The operations of the latter
// dialects are only parsed.
void registerTestDialects(mlir::DialectRegistry &registry);

} // namespace drumlin
