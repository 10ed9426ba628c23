// Scatters as XLA has them.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

// StableHLO's `scatter` leaves out the elements of an update's window that lie outside of the
// operand (specification, "scatter"); XLA's leaves out the whole window where any does. Both
// functions write one as the other, for scatters whose sizes are known; others stay as they are.

// For programs that mean XLA's: HLO, and what JAX sends. Windows that would lie partly outside
// begin behind the operand instead, by arithmetic on the indices.
void leaveOutWholeWindows(mlir::ModuleOp module);

// Whether a scatter may have windows of which a part lies outside and a part doesn't; not after
// leaveOutWholeWindows.
bool mayHavePartialWindows(mlir::ModuleOp module);

// For readers that take the program for XLA's. Operands of such scatters are padded until no window
// lies partly outside, and what was padded is left out of the results.
void keepPartsOfWindows(mlir::ModuleOp module);

} // namespace drumlin
