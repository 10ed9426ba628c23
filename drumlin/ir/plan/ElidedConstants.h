// Constants whose values a printer elided (`constant({...})`). Such a program can be planned, and
// its costs can be computed, but it cannot be executed.
#pragma once

#include "drumlin/support/Diagnostics.h"

#include "mlir/IR/Operation.h"

namespace drumlin {

// Module attribute with the location of the first elided constant.
inline constexpr llvm::StringLiteral elidedAttribute = "plan.elided";

// Returns the location of the first elided constant in the operation's module; empty if all values
// are present.
std::string elidedConstantOf(mlir::Operation *op);

// Returns the error that callers report if they need the values of an elided constant; `place` is
// its location.
Diagnostic elidedConstant(const std::string &place);

} // namespace drumlin
