// Advice on how to avoid transposing a computed operand at each call.
#pragma once

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

#include <string>

namespace drumlin {

// Returns advice for an argument of the entry that is an operand of a dot or convolution, directly
// or after data movement. The advice says in which order to pass the argument and, if the argument
// may be a weight (see staticRemedy()), how to make it static.
std::string argumentRemedy(mlir::Operation *product, unsigned operand,
                           mlir::BlockArgument argument);

// Returns advice to make static those arguments from which an operand of a dot or convolution is
// computed: "make arguments 1 and 2 static (`--static-args 1,2`)". Empty if one of these arguments
// probably changes at each call: it is donated to a result, has integers that aren't converted to
// floats (tokens, positions), or also determines the other operand (in a loop: in the first trip).
// Also empty if the operand depends on anything but arguments.
std::string staticRemedy(mlir::Operation *product, unsigned operand);

} // namespace drumlin
