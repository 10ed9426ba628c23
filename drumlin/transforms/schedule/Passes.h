// The schedule phase: turns kernels into symbols and orders their launches.
#pragma once

#include "drumlin/ir/costs/ProgramCost.h"
#include "drumlin/ir/plan/CodeEffort.h"
#include "drumlin/target/CpuTarget.h"
#include "drumlin/transforms/Ledger.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace drumlin {

#define GEN_PASS_DECL
#include "drumlin/transforms/schedule/Passes.h.inc"

// How much quickly compiled code may add to the predicted time, and the effort for the kernels that
// are not compiled quickly.
struct EffortBudget {
  double share = 0; // share of the predicted time; infinity: everything is compiled quickly
  // Seconds that quickly compiled code may add in any case. This applies to kernels that take up to
  // ten times that time, except kernels in loops with an unknown trip count. Sorts and Fourier
  // transforms are compiled quickly if that adds at most these seconds.
  double seconds = 0;
  plan::CodeEffort others = plan::CodeEffort::Lean;
};

// Records decisions in the ledger, and the kernels' costs in `kernelCosts`. Both must outlive the
// pass.
std::unique_ptr<mlir::Pass> createLimitEffortPass(Ledger &ledger, const CpuTarget &target,
                                                  const EffortBudget &budget,
                                                  KernelCosts *kernelCosts);

#define GEN_PASS_REGISTRATION
#include "drumlin/transforms/schedule/Passes.h.inc"

} // namespace drumlin
