// Where a compiled program rounds otherwise than its text says operation by operation: what
// docs/architecture.md ("Numerics") allows, place by place.
#pragma once

#include "drumlin/transforms/Ledger.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace drumlin {

struct RoundingNote {
  // `gemm-bf16-dot`, `auto-cast`, `dot-round-operands` (entries of the ledger), `dot-sum`,
  // `reduction-order`, `reduction-width` or `function`.
  std::string what;
  std::string operation;
  std::string source;
  std::string text;

  bool operator==(const RoundingNote &) const = default;
};

// Of a program whose kernels are outlined. In the order of the program's kernels; each note once,
// however many kernels compute the operation.
std::vector<RoundingNote> roundingNotes(mlir::ModuleOp module, const Ledger &ledger);

} // namespace drumlin
