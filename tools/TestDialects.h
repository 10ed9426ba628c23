// Registers the dialects that the tests of other StableHLO implementations use in addition to
// StableHLO.
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace drumlin {

// Registers MLIR's `arith`, `quant`, `shape`, `sparse_tensor` and `tensor`, and dialects that
// accept any operation: `interpreter` and `hlo_test_…`. Only passes of the reference implementation
// process the operations of `hlo_test_…`; here, they are only parsed.
void registerTestDialects(mlir::DialectRegistry &registry);

} // namespace drumlin
