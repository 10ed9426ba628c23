// Takes programs from the `vhlo` dialect to `stablehlo` and `func`, and back. What other dialects
// say stays as it is; where their operations meet converted ones,
// `builtin.unrealized_conversion_cast` stands between a type and its counterpart, as portable
// artifacts have it.
#pragma once

#include "drumlin/ir/vhlo/VersionChange.h"

#include "mlir/IR/BuiltinOps.h"

namespace drumlin::vhlo {

// The module's operations are those of the newest release (`changeVersion`). Nothing where all went
// well; otherwise what has no counterpart, and the module is fit only to be thrown away. The result
// is unverified: its operations say what the artifact says. The context has `stablehlo` and `func`
// loaded. Recurses as deep as regions, types and attributes nest.
std::optional<VersionObstacle> convertToStablehlo(mlir::ModuleOp module);

// The other way around, for a verified module: operations of the newest release.
std::optional<VersionObstacle> convertFromStablehlo(mlir::ModuleOp module);

} // namespace drumlin::vhlo
