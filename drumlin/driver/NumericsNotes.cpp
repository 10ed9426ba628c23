#include "drumlin/driver/NumericsNotes.h"

#include "drumlin/codegen/cpu/GemmCounts.h"

namespace drumlin {

void recordNumerics(mlir::ModuleOp module, const CpuTarget &target, Ledger &ledger) {
  ledger.beginPhase("codegen");
  for (plan::KernelOp kernel : module.getOps<plan::KernelOp>()) {
    if (mlir::Operation *hero = codegen::bf16DotHero(kernel, target)) {
      ledger.record(Rule::GemmBf16Dot, hero, Decision::taken());
    }
  }
}

} // namespace drumlin
