// Source positions for diagnostics.
#pragma once

#include "mlir/IR/Location.h"

#include <string>

namespace drumlin {

// Returns the first source position in a location as `file:line:column`; empty if it has none.
std::string placeOf(mlir::Location loc);

} // namespace drumlin
