// Advice on how to avoid transposing a computed operand at each call.
#pragma once

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

#include <string>

namespace drumlin {

// Advises how to pass an argument of the entry that is an operand of a dot or convolution, possibly
// moved, and how to make it static if it may be a weight (as below).
std::string argumentRemedy(mlir::Operation *product, unsigned operand,
                           mlir::BlockArgument argument);

// Names the arguments that an operand of a dot or convolution is computed from, and how to make
// them static: "make arguments 1 and 2 static (`--static-args 1,2`)". Empty if an argument probably
// changes at each call: if it is donated to a result, holds integers that aren't converted to
// numbers (tokens, positions), or also determines the other operand (in a loop: at its first trip).
// Also empty if the operand depends on anything but arguments.
std::string staticRemedy(mlir::Operation *product, unsigned operand);

} // namespace drumlin
