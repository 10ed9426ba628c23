// The fusion phase: fuses producers and consumers into loop kernels, by cost.
#pragma once

#include "drumlin/transforms/Ledger.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace drumlin {

#define GEN_PASS_DECL
#include "drumlin/transforms/fusion/Passes.h.inc"

// Records decisions in the ledger, which must outlive the pass.
std::unique_ptr<mlir::Pass> createLoopFusionPass(Ledger &ledger);

#define GEN_PASS_REGISTRATION
#include "drumlin/transforms/fusion/Passes.h.inc"

} // namespace drumlin
