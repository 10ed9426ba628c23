// Scatters as XLA has them.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

// StableHLO's `scatter` leaves out the elements of an update's window that lie outside of the
// operand (specification, "scatter"); XLA's leaves out the whole window where any does. For
// programs that mean the latter: HLO, and what JAX sends. Windows that would lie partly outside
// begin behind the operand instead, by arithmetic on the indices. Operands with sizes that aren't
// known stay as they are.
void leaveOutWholeWindows(mlir::ModuleOp module);

} // namespace drumlin
