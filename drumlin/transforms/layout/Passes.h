// The layout phase: in which order every value's dimensions lie in memory.
#pragma once

#include "drumlin/target/CpuTarget.h"
#include "drumlin/target/LibraryCall.h"
#include "drumlin/transforms/Ledger.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace drumlin {

struct LayoutOptions {
  TargetPtr target; // of any kind: what its kernels ask for
  std::optional<CpuTarget>
      cpu; // that kernels of our own run on; nothing where nobody has written any
  Numerics numerics = Numerics::Default;
};

#define GEN_PASS_DECL
#include "drumlin/transforms/layout/Passes.h.inc"

// `--force-kernel`: `failure` says why a choice can't be (KernelChoiceInvalid), and must outlive
// the pass.
std::unique_ptr<mlir::Pass> createForceKernelsPass(std::vector<std::string> choices,
                                                   TargetPtr target,
                                                   std::optional<Diagnostic> &failure);
// Decisions go to the ledger, which must outlive the pass.
std::unique_ptr<mlir::Pass> createAssignLayoutsPass(Ledger &ledger, const LayoutOptions &options);
std::unique_ptr<mlir::Pass> createNormalizeLayoutsPass(Ledger &ledger);
std::unique_ptr<mlir::Pass> createMergeDimensionsPass(Ledger &ledger);
std::unique_ptr<mlir::Pass> createBlockLayoutsPass(Ledger &ledger, const CpuTarget &target,
                                                   Numerics numerics);

#define GEN_PASS_REGISTRATION
#include "drumlin/transforms/layout/Passes.h.inc"

} // namespace drumlin
