// Reports why a pass over a program's text or options failed.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace drumlin {

// Stores the reason in `failure`, from which the compiler reads it. If `failure` is null (in
// drumlin-opt), only emits a diagnostic at the operation. The pass must still call
// signalPassFailure().
inline void reportFailure(mlir::Operation *op, const Diagnostic &reason,
                          std::optional<Diagnostic> *failure) {
  op->emitError(reason.message);
  if (failure) {
    *failure = reason;
  }
}

} // namespace drumlin
