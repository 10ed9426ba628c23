// Where a compiled program rounds otherwise than its text says operation by operation: what
// docs/architecture.md ("Numerics") allows, place by place.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/target/Numerics.h"
#include "drumlin/transforms/Ledger.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

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

// The relaxations that a kernel's code uses; of `reassociate` the ledger tells.
Numerics relaxationsOf(plan::KernelOp kernel, const Ledger &ledger);
// Those of them that the kernel's operations don't show.
Numerics unseenRelaxations(plan::KernelOp kernel);

// Of a program whose kernels are outlined. In the order of the program's kernels; each note once,
// however many kernels compute the operation.
std::vector<RoundingNote> roundingNotes(mlir::ModuleOp module, const Ledger &ledger);

} // namespace drumlin
