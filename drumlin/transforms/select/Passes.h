// The phase `select`: chooses each kernel's implementation.
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

// Records decisions in the ledger. If the pass fails, `failure` gets KernelChoiceUnfit. Both must
// outlive the pass.
std::unique_ptr<mlir::Pass> createSelectSchedulesPass(Ledger &ledger, const CpuTarget &target,
                                                      Numerics numerics,
                                                      std::optional<Diagnostic> &failure);
std::unique_ptr<mlir::Pass> createContractProductsPass(Ledger &ledger, const CpuTarget &target);
// `keepsRequirements` returns whether a module with split kernels still satisfies the user's
// requirements.
std::unique_ptr<mlir::Pass>
createSelectLibraryCallsPass(Ledger &ledger, const GpuTarget &target,
                             std::function<bool(mlir::ModuleOp)> keepsRequirements);

#define GEN_PASS_REGISTRATION
#include "drumlin/transforms/select/Passes.h.inc"

} // namespace drumlin
