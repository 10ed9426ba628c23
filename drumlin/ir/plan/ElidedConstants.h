// Constants whose values a printer left out (`constant({...})`). What such a program costs and how
// it is planned is known, what it computes isn't.
#pragma once

#include "drumlin/support/Diagnostics.h"

#include "mlir/IR/Operation.h"

namespace drumlin {

// Of a module: where the first such constant stands.
inline constexpr llvm::StringLiteral elidedAttribute = "plan.elided";

// Empty where the module of the operation has all of its values.
std::string elidedConstantOf(mlir::Operation *op);

// What whoever needs the values says.
Diagnostic elidedConstant(const std::string &place);

} // namespace drumlin
