// Converts programs from the `vhlo` dialect to `stablehlo` and `func`, and back. Operations of
// other dialects are kept; where they use values of converted operations, a
// `builtin.unrealized_conversion_cast` converts between a type and its counterpart, as in portable
// artifacts.
#pragma once

#include "drumlin/ir/vhlo/VersionChange.h"

#include "mlir/IR/BuiltinOps.h"

namespace drumlin::vhlo {

// Converts a module with operations of the newest release (`changeVersion`). Returns nothing on
// success; otherwise the obstacle, and the module must be discarded. The result is not verified. It
// is valid if the artifact is valid. The context must have `stablehlo` and `func` loaded. The
// recursion is as deep as regions, types and attributes are nested.
std::optional<VersionObstacle> convertToStablehlo(mlir::ModuleOp module);

// Converts a verified module to operations of the newest release.
std::optional<VersionObstacle> convertFromStablehlo(mlir::ModuleOp module);

} // namespace drumlin::vhlo
