#include "drumlin/driver/Costs.h"

#include "drumlin/codegen/cpu/GemmCounts.h"

namespace drumlin {

PlanCost costsFor(mlir::ModuleOp module, const CpuTarget &target) {
  HeroModel model = [&](plan::KernelOp kernel) { return codegen::gemmCounts(kernel, target); };
  return planCost(module, model);
}

} // namespace drumlin
