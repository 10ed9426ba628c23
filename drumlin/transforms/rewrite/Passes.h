// The rewrite phase: forms the plan's hero kernels from StableHLO.
#pragma once

#include "drumlin/target/CpuTarget.h"
#include "drumlin/transforms/Ledger.h"
#include "drumlin/transforms/ModelType.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace drumlin {

#define GEN_PASS_DECL
#include "drumlin/transforms/rewrite/Passes.h.inc"

// Records decisions in the ledger, which must outlive the pass.
std::unique_ptr<mlir::Pass> createFactorScalesPass(Ledger &ledger);
std::unique_ptr<mlir::Pass> createSplitContractionsPass(Ledger &ledger, const CpuTarget &target,
                                                        Numerics numerics);
std::unique_ptr<mlir::Pass> createGemmRewritePass(Ledger &ledger, ModelType type);
std::unique_ptr<mlir::Pass> createSplitDilationsPass(Ledger &ledger);
std::unique_ptr<mlir::Pass> createSplitReductionsPass(Ledger &ledger);
std::unique_ptr<mlir::Pass> createSplitTransformsPass(Ledger &ledger);
std::unique_ptr<mlir::Pass> createHeroRewritePass(Ledger &ledger);
std::unique_ptr<mlir::Pass> createUnrollReductionsPass(Ledger &ledger);
std::unique_ptr<mlir::Pass> createWidenScansPass(Ledger &ledger);
std::unique_ptr<mlir::Pass> createWidenScattersPass(Ledger &ledger, const CpuTarget &target);

#define GEN_PASS_REGISTRATION
#include "drumlin/transforms/rewrite/Passes.h.inc"

} // namespace drumlin
