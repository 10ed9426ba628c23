// Marks the kernels whose dot or convolution matches a kernel choice of the user.
#include "drumlin/ir/plan/GemmOp.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "drumlin/target/KernelLayouts.h"
#include "drumlin/transforms/PassTarget.h"
#include "drumlin/transforms/layout/Passes.h"
#include "drumlin/transforms/requirements/OperationPattern.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_FORCEKERNELSPASS
#include "drumlin/transforms/layout/Passes.h.inc"

static Diagnostic invalid(llvm::StringRef choice, const llvm::Twine &what) {
  return diagnose(errors::KernelChoiceInvalid, ("`" + choice + "` " + what).str(),
                  "--force-kernel");
}

static Status force(ModuleOp module, llvm::StringRef choice, const Target &target) {
  auto [operation, kernel] = choice.rsplit('=');
  if (operation.empty() || kernel.empty()) {
    return invalid(choice, "is not of the form `OPERATION=KERNEL`");
  }
  std::string known;
  bool isKnown = false;
  for (const KernelLayouts &each : kernelLayouts(target)) {
    isKnown |= kernel == llvm::StringRef(each.name);
    if (!each.name.empty()) {
      known += (known.empty() ? "`" : ", `") + std::string(each.name) + "`";
    }
  }
  if (!isKnown) {
    return invalid(choice, "names no kernel of the target, whose kernels are " + known);
  }
  auto [name, source] = operation.split('@');
  OperationPattern pattern = {name.str(), source.str()};
  bool isMatched = false;
  module.walk([&](plan::GemmOp gemm) {
    Operation *hero = contractionOf(gemm.getBody().front());
    if (hero && matches(pattern, plan::describeOperation(hero))) {
      gemm->setAttr(plan::forcedKernelAttribute, StringAttr::get(module.getContext(), kernel));
      isMatched = true;
    }
  });
  if (!isMatched) {
    return invalid(choice, "matches no dot and no convolution of the optimized program");
  }
  return Done{};
}

struct ForceKernelsPass : impl::ForceKernelsPassBase<ForceKernelsPass> {
  using impl::ForceKernelsPassBase<ForceKernelsPass>::ForceKernelsPassBase;
  ForceKernelsPass(std::vector<std::string> named, TargetPtr target,
                   std::optional<Diagnostic> &failure)
      : named(std::move(named)), target(std::move(target)), failure(&failure) {}

  void runOnOperation() override {
    if (!takeTarget(target, getOperation(), targetName, failure)) {
      return signalPassFailure();
    }
    for (const std::string &choice : choices) {
      named.push_back(choice);
    }
    for (const std::string &choice : named) {
      if (Status status = force(getOperation(), choice, *target); !status) {
        reportFailure(getOperation(), status.error(), failure);
        return signalPassFailure();
      }
    }
  }

private:
  std::vector<std::string> named;
  TargetPtr target;
  std::optional<Diagnostic> *failure = nullptr;
};

std::unique_ptr<Pass> createForceKernelsPass(std::vector<std::string> choices, TargetPtr target,
                                             std::optional<Diagnostic> &failure) {
  return std::make_unique<ForceKernelsPass>(std::move(choices), std::move(target), failure);
}

} // namespace drumlin
