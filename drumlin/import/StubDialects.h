// Dialects that only occur as names of attributes in StableHLO programs (`mhlo.num_partitions`,
// `jax.result_info`): their attributes are kept as written, they have no
// operations.
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace drumlin {

void registerStubDialects(mlir::DialectRegistry &registry);

} // namespace drumlin
