// Advice on how to avoid transposing a computed operand at each call.
#pragma once

#include "mlir/IR/Operation.h"

#include <string>

namespace drumlin {

// Names the arguments that a product's operand is computed from, and how to make them static:
// "make arguments 1 and 2 static (`--static-args 1,2`)". Empty where it is computed from anything
// else, from one that gives its memory to a result or holds integers that nothing converts to
// numbers (tokens, positions), or from one that the product's other operand depends on, too: such
// arguments change at each call.
std::string staticRemedy(mlir::Operation *product, unsigned operand);

} // namespace drumlin
