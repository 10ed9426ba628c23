// Dialects that only occur in attribute names of StableHLO programs (`mhlo.num_partitions`,
// `jax.result_info`). Their attributes are kept as written; they have no operations.
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace drumlin {

void registerStubDialects(mlir::DialectRegistry &registry);

} // namespace drumlin
