// What default numerics chose, for the ledger.
#pragma once

#include "drumlin/target/CpuTarget.h"
#include "drumlin/transforms/Ledger.h"
#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

// One entry of rule `gemm-bf16-dot` for each kernel of an outlined program whose products go
// through the target's bf16 dot instruction; `--numerics=strict` and a precision above DEFAULT
// avoid it.
void recordNumerics(mlir::ModuleOp module, const CpuTarget &target, Ledger &ledger);

} // namespace drumlin
