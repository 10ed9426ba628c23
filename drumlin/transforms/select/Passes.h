// The phase `select`: how each kernel runs.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/target/CpuTarget.h"
#include "drumlin/target/LibraryCall.h"
#include "drumlin/transforms/Ledger.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <functional>

namespace drumlin {

#define GEN_PASS_DECL
#include "drumlin/transforms/select/Passes.h.inc"

// Decisions go to the ledger. Where the pass fails, `failure` says why: KernelChoiceUnfit. Both
// must outlive the pass.
std::unique_ptr<mlir::Pass> createSelectSchedulesPass(Ledger &ledger, const CpuTarget &target,
                                                      Numerics numerics,
                                                      std::optional<Diagnostic> &failure);
std::unique_ptr<mlir::Pass> createContractProductsPass(Ledger &ledger, const CpuTarget &target);
// `keepsRequirements` says whether a module whose kernels are split keeps what the user requires.
std::unique_ptr<mlir::Pass>
createSelectLibraryCallsPass(Ledger &ledger, const GpuTarget &target,
                             std::function<bool(mlir::ModuleOp)> keepsRequirements);

#define GEN_PASS_REGISTRATION
#include "drumlin/transforms/select/Passes.h.inc"

} // namespace drumlin
