// The layout phase: chooses the dimension order in memory for every value.
#pragma once

#include "drumlin/target/CpuTarget.h"
#include "drumlin/target/LibraryCall.h"
#include "drumlin/transforms/Ledger.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace drumlin {

struct LayoutOptions {
  TargetPtr target;             // any target, for the layouts that its kernels need
  std::optional<CpuTarget> cpu; // CPU for which kernels are generated; empty if there is none
  Numerics numerics = Numerics::Default;
};

#define GEN_PASS_DECL
#include "drumlin/transforms/layout/Passes.h.inc"

// Creates the pass of `--force-kernel`. `failure` receives the reason why a choice is impossible
// (KernelChoiceInvalid), and must outlive the pass.
std::unique_ptr<mlir::Pass> createForceKernelsPass(std::vector<std::string> choices,
                                                   TargetPtr target,
                                                   std::optional<Diagnostic> &failure);
// Records decisions in the ledger, which must outlive the pass.
std::unique_ptr<mlir::Pass> createAssignLayoutsPass(Ledger &ledger, const LayoutOptions &options);
std::unique_ptr<mlir::Pass> createNormalizeLayoutsPass(Ledger &ledger);
std::unique_ptr<mlir::Pass> createMergeDimensionsPass(Ledger &ledger);
std::unique_ptr<mlir::Pass> createBlockLayoutsPass(Ledger &ledger, const CpuTarget &target,
                                                   Numerics numerics);

#define GEN_PASS_REGISTRATION
#include "drumlin/transforms/layout/Passes.h.inc"

} // namespace drumlin
