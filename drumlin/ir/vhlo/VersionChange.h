// Takes a program of `vhlo` operations to the operations that another release of the format has.
#pragma once

#include "drumlin/ir/vhlo/VhloDialect.h"

#include "mlir/IR/BuiltinOps.h"

namespace drumlin::vhlo {

// What a release can't express.
struct VersionObstacle {
  mlir::Location location;
  std::string message; // lower-case: which operation, and what about it
  bool operator==(const VersionObstacle &) const = default;
};

// Every operation becomes the one of its name that `release` has, and the operations' attributes
// and types are checked to be of that release. Nothing where all went well; otherwise the module is
// left half changed, fit only to be thrown away. `release` is known (`isKnown`).
std::optional<VersionObstacle> changeVersion(mlir::ModuleOp module, Version release);

} // namespace drumlin::vhlo
