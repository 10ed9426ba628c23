// The result of a failed contract check.
#pragma once

#include "mlir/IR/Operation.h"

#include <string>

namespace drumlin {

// A broken contract: the operation that breaks it, and what was found.
struct Violation {
  mlir::Operation *op;
  std::string what;
};

} // namespace drumlin
