// Lists where a compiled program rounds differently from its text, operation by operation;
// docs/architecture.md ("Numerics") says what is allowed.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/target/Numerics.h"
#include "drumlin/transforms/Ledger.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace drumlin::plan {
class KernelOp;
}

namespace drumlin {

struct RoundingNote {
  // `gemm-bf16-dot`, `auto-cast`, `dot-round-operands`, `factor-scales` (entries of the ledger),
  // `contract`, `dot-sum`, `reduction-order`, `reduction-width` or `function`.
  std::string what;
  std::string operation;
  std::string source;
  std::string text;

  bool operator==(const RoundingNote &) const = default;
};

// Returns the relaxations that a kernel's code uses. The ledger tells whether `reassociate` is
// among them.
Numerics relaxationsOf(plan::KernelOp kernel, const Ledger &ledger);
// Returns the relaxations that a kernel's code uses but that can't be seen in the kernel's
// operations.
Numerics unseenRelaxations(plan::KernelOp kernel);

// Returns the notes on a program with outlined kernels, in the kernels' order. If several kernels
// have an equal note, it is listed once.
std::vector<RoundingNote> roundingNotes(mlir::ModuleOp module, const Ledger &ledger);

} // namespace drumlin
