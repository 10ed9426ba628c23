// Source positions, as diagnostics name them.
#pragma once

#include "mlir/IR/Location.h"

#include <string>

namespace drumlin {

// Returns `file:line:column` of the first source position inside a location; empty for one without.
std::string placeOf(mlir::Location loc);

} // namespace drumlin
