// The schedule phase: kernels as symbols, launches in order.
#pragma once

#include "drumlin/target/CpuTarget.h"
#include "drumlin/transforms/Ledger.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace drumlin {

#define GEN_PASS_DECL
#include "drumlin/transforms/schedule/Passes.h.inc"

// Decisions go to the ledger, which must outlive the pass. `share`: of the predicted time that
// kernels whose code is made quickly may have together, from 0 to 1.
std::unique_ptr<mlir::Pass> createLimitEffortPass(Ledger &ledger, const CpuTarget &target,
                                                  double share);

#define GEN_PASS_REGISTRATION
#include "drumlin/transforms/schedule/Passes.h.inc"

} // namespace drumlin
