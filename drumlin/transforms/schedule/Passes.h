// The schedule phase: kernels as symbols, launches in order.
#pragma once

#include "drumlin/ir/plan/Cost.h"
#include "drumlin/target/CpuTarget.h"
#include "drumlin/transforms/Ledger.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace drumlin {

#define GEN_PASS_DECL
#include "drumlin/transforms/schedule/Passes.h.inc"

// Decisions go to the ledger, which must outlive the pass. `share`: of the predicted time that code
// which is made quickly may add to it; infinity: all code is made so. What kernels cost goes to
// `kernelCosts`.
std::unique_ptr<mlir::Pass> createLimitEffortPass(Ledger &ledger, const CpuTarget &target,
                                                  double share, KernelCosts *kernelCosts);

#define GEN_PASS_REGISTRATION
#include "drumlin/transforms/schedule/Passes.h.inc"

} // namespace drumlin
