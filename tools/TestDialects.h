// Dialects that tests of other StableHLO implementations use around the operations that they test.
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace drumlin {

// `arith`, `shape`, `tensor` and `sparse_tensor`, and the dialects whose operations ask passes of
// the reference implementation for inferred types and traits: their operations are read and kept.
void registerTestDialects(mlir::DialectRegistry &registry);

} // namespace drumlin
