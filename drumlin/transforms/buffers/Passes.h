// The buffers phase: assigns memory to every value.
#pragma once

#include "drumlin/ir/costs/ProgramCost.h"
#include "drumlin/target/CpuTarget.h"
#include "drumlin/transforms/Ledger.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace drumlin {

#define GEN_PASS_DECL
#include "drumlin/transforms/buffers/Passes.h.inc"

// Records decisions in the ledger, and the kernels' costs in `kernelCosts`. Both must outlive the
// pass.
std::unique_ptr<mlir::Pass> createGroupLaunchesPass(Ledger &ledger, const CpuTarget &target,
                                                    KernelCosts *kernelCosts);

#define GEN_PASS_REGISTRATION
#include "drumlin/transforms/buffers/Passes.h.inc"

} // namespace drumlin
