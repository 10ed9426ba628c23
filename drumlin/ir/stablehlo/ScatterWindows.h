// Conversion between the scatters of StableHLO and XLA.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

// StableHLO's `scatter` ignores the elements of an update's window that are outside of the operand
// (specification, "scatter"); XLA's scatter ignores the complete window if any of its elements is
// outside. The functions below convert scatters of known sizes from one semantics to the other.
// They do not change other scatters.

// Converts programs that assume XLA's semantics: HLO, and programs from JAX. Windows that would be
// partly outside are moved completely outside by arithmetic on the indices.
void leaveOutWholeWindows(mlir::ModuleOp module);

// Whether a scatter may have windows that are partly outside; false after leaveOutWholeWindows().
bool mayHavePartialWindows(mlir::ModuleOp module);

// Converts a program for readers that assume XLA's semantics. Pads the operands of scatters that
// may have windows partly outside until no window is partly outside, and removes the padding from
// the results.
void keepPartsOfWindows(mlir::ModuleOp module);

} // namespace drumlin
