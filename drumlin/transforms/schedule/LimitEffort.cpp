// Kernels in which a program spends little of its time get code that is made quickly.
#include "drumlin/ir/plan/CodeEffort.h"
#include "drumlin/ir/plan/Roofline.h"
#include "drumlin/transforms/Ledger.h"
#include "drumlin/transforms/PassTarget.h"
#include "drumlin/transforms/schedule/Passes.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_LIMITEFFORTPASS
#include "drumlin/transforms/schedule/Passes.h.inc"

static Decision decide(double share, bool isQuick) {
  std::string text = llvm::formatv("{0:F1} % of the predicted time", share * 100).str();
  Decision made = isQuick ? Decision::taken() : Decision::declined(Reason::TimeSpentHere);
  made.remedy = isQuick ? text : "compile with `-O0`: the kernel takes " + text;
  return made;
}

struct LimitEffortPass : impl::LimitEffortPassBase<LimitEffortPass> {
  using impl::LimitEffortPassBase<LimitEffortPass>::LimitEffortPassBase;
  LimitEffortPass(Ledger &ledger, const CpuTarget &target, double share)
      : ledger(&ledger), target(target) {
    this->share = share;
  }

  void runOnOperation() override {
    if (!takeTarget(target, getOperation(), targetName)) {
      return signalPassFailure();
    }
    SmallVector<KernelTime> kernels = kernelTimes(getOperation(), *target);
    // First those that take the least time for the code that they are.
    auto key = [](const KernelTime &time) {
      plan::KernelOp kernel = time.kernel;
      return std::pair(time.seconds / static_cast<double>(plan::codeSize(kernel)),
                       kernel.getSymName());
    };
    llvm::sort(kernels, [&](const KernelTime &a, const KernelTime &b) { return key(a) < key(b); });
    double whole = 0;
    for (const KernelTime &each : kernels) {
      whole += each.seconds;
    }
    double spent = 0;
    for (const KernelTime &each : kernels) {
      spent += each.seconds;
      limit(each.kernel, whole > 0 ? each.seconds / whole : 0, spent <= share * whole);
    }
  }

private:
  void limit(plan::KernelOp kernel, double ofTime, bool isQuick) {
    Decision decision = decide(ofTime, isQuick);
    if (ledger) {
      decision = ledger->recordUnlessOff(Rule::LimitEffort, kernel, std::move(decision));
    }
    plan::setCodeEffort(kernel, decision.isTaken()                     ? plan::CodeEffort::Quick
                                : decision.reason == Reason::TurnedOff ? plan::CodeEffort::Full
                                                                       : plan::CodeEffort::Lean);
  }

  Ledger *ledger = nullptr;
  std::optional<CpuTarget> target;
};

std::unique_ptr<Pass> createLimitEffortPass(Ledger &ledger, const CpuTarget &target, double share) {
  return std::make_unique<LimitEffortPass>(ledger, target, share);
}

} // namespace drumlin
