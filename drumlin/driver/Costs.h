// The static costs of a program (drumlin/ir/plan/Cost.h) as a target's kernels do its work.
#pragma once

#include "drumlin/ir/plan/CostText.h"
#include "drumlin/target/CpuTarget.h"

namespace drumlin {

// In any form; once kernels are outlined, GEMMs count as they are cut for the target.
PlanCost costsFor(mlir::ModuleOp module, const CpuTarget &target);

} // namespace drumlin
