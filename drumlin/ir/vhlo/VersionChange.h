// Converts a program of `vhlo` operations to another release of the format.
#pragma once

#include "drumlin/ir/vhlo/VhloDialect.h"

#include "mlir/IR/BuiltinOps.h"

namespace drumlin::vhlo {

// An operation that a release cannot express.
struct VersionObstacle {
  mlir::Location location;
  std::string message; // message in lower case that names the operation and the obstacle
  bool operator==(const VersionObstacle &) const = default;
};

// Replaces every operation by its version in `release`, which must be known (`isKnown`). Checks
// that the operations' attributes and types exist in that release. Returns nothing on success;
// otherwise the module is partly changed and must be discarded.
std::optional<VersionObstacle> changeVersion(mlir::ModuleOp module, Version release);

} // namespace drumlin::vhlo
