#include "drumlin/transforms/layout/ForcedKernels.h"

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/plan/Work.h"
#include "drumlin/target/KernelLayouts.h"
#include "drumlin/transforms/requirements/OperationPattern.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace drumlin {

static Diagnostic invalid(llvm::StringRef choice, const llvm::Twine &what) {
  return diagnose(DiagnosticCode::KernelChoiceInvalid, ("`" + choice + "` " + what).str(),
                  "--force-kernel");
}

Status forceKernels(ModuleOp module, std::span<const std::string> choices, const GpuTarget *gpu) {
  for (llvm::StringRef choice : choices) {
    auto [operation, kernel] = choice.rsplit('=');
    if (operation.empty() || kernel.empty()) {
      return invalid(choice, "is no `OPERATION=KERNEL`");
    }
    std::string known;
    bool isKnown = false;
    for (const KernelLayouts &each : kernelLayouts(gpu)) {
      isKnown |= kernel == llvm::StringRef(each.name);
      if (!each.name.empty()) {
        known += (known.empty() ? "`" : ", `") + std::string(each.name) + "`";
      }
    }
    if (!isKnown) {
      return invalid(choice, "names no kernel of the target, which has " + known);
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
      return invalid(choice, "is about no dot and no convolution of the optimized program");
    }
  }
  return Done{};
}

} // namespace drumlin
