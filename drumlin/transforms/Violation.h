// What a check of a contract finds.
#pragma once

#include "mlir/IR/Operation.h"

#include <string>

namespace drumlin {

// A broken contract: where, and what was seen.
struct Violation {
  mlir::Operation *op;
  std::string what;
};

} // namespace drumlin
