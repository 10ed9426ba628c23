// Reports why a pass over a program's text or options failed.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace drumlin {

// The compiler reads the reason from `failure`; if that is null (in drumlin-opt), only the
// operation's diagnostic is emitted. The pass must still call signalPassFailure().
inline void reportFailure(mlir::Operation *op, const Diagnostic &reason,
                          std::optional<Diagnostic> *failure) {
  op->emitError(reason.message);
  if (failure) {
    *failure = reason;
  }
}

} // namespace drumlin
