// The schedule phase: kernels as symbols, launches in order.
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

// What code that is made quickly may add to the predicted time, and how that of other kernels is
// made.
struct EffortBudget {
  double share = 0; // of the predicted time; infinity: all code is made quickly
  // In any case, by kernels of up to ten times as long; not by those of loops whose end isn't
  // known. Sorts and Fourier transforms of which less effort adds no more are compiled so.
  double seconds = 0;
  plan::CodeEffort others = plan::CodeEffort::Lean;
};

// Decisions go to the ledger, which must outlive the pass. What kernels cost goes to `kernelCosts`.
std::unique_ptr<mlir::Pass> createLimitEffortPass(Ledger &ledger, const CpuTarget &target,
                                                  const EffortBudget &budget,
                                                  KernelCosts *kernelCosts);

#define GEN_PASS_REGISTRATION
#include "drumlin/transforms/schedule/Passes.h.inc"

} // namespace drumlin
