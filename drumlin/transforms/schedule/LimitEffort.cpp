// Compiles kernels quickly if that costs the program little time.
#include "drumlin/ir/costs/KernelTimes.h"
#include "drumlin/ir/plan/CodeEffort.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/transforms/Ledger.h"
#include "drumlin/transforms/PassTarget.h"
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/schedule/Passes.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_LIMITEFFORTPASS
#include "drumlin/transforms/schedule/Passes.h.inc"

// Returns the share of its time that a kernel may lose without the passes that `lean` omits.
// Returns nothing for kinds of kernels that may lose a large share. Sorts move keys to
// data-dependent positions: ten sorts took 0.98 to 1.05 times as long, 1.00 in the geometric mean.
// Fourier transforms are straight-line code between loops over registers: 36 transforms took 0.94
// to 1.10 times as long, 1.01 in the geometric mean.
static std::optional<double> shareIfLean(plan::KernelKind kind) {
  switch (kind) {
  case plan::KernelKind::sort:
    return 0.03;
  case plan::KernelKind::fft:
    return 0.05;
  default:
    return std::nullopt;
  }
}

static Decision decide(double ofTime, double added, bool isQuick) {
  Decision made = isQuick ? Decision::taken() : Decision::declined(Reason::TimeSpentHere);
  std::string text =
      llvm::formatv("{0:F1} % of the predicted time; compiled quickly, it adds {1:F2} %",
                    ofTime * 100, added * 100);
  made.remedy = isQuick ? text : "compile with `-O0`: the kernel takes " + text;
  return made;
}

struct LimitEffortPass : impl::LimitEffortPassBase<LimitEffortPass> {
  using impl::LimitEffortPassBase<LimitEffortPass>::LimitEffortPassBase;
  LimitEffortPass(Ledger &ledger, const CpuTarget &target, const EffortBudget &budget,
                  KernelCosts *kernelCosts)
      : ledger(&ledger), target(target), kernelCosts(kernelCosts) {
    share = budget.share;
    seconds = budget.seconds;
    keepsOthers = budget.others == plan::CodeEffort::Full;
  }

  void runOnOperation() override {
    if (!takeTarget(target, getOperation(), targetName)) {
      return signalPassFailure();
    }
    SmallVector<KernelTime> kernels = kernelTimes(getOperation(), *target, kernelCosts);
    // Sorts kernels by the time that quick compilation adds, divided by their code size.
    auto key = [](const KernelTime &time) {
      plan::KernelOp kernel = time.kernel;
      return std::pair(time.secondsIfQuick / static_cast<double>(plan::codeSize(kernel)),
                       kernel.getSymName());
    };
    llvm::sort(kernels, [&](const KernelTime &a, const KernelTime &b) { return key(a) < key(b); });
    double whole = std::numeric_limits<double>::min(); // not 0, so that shares are defined
    for (const KernelTime &each : kernels) {
      whole += each.seconds;
    }
    double added = 0, addedIfLean = 0;
    for (const KernelTime &each : kernels) {
      added += each.secondsIfQuick;
      // The estimate of the added time is rough, so long kernels keep full effort.
      bool isShort = each.seconds <= 10 * seconds && !each.isOfUnknownLoop;
      bool isUnnoticed = added <= seconds && isShort;
      bool isQuick = isUnnoticed || (share > 0 && added <= share * whole);
      plan::KernelOp kernel = each.kernel;
      std::optional<double> ifLean = shareIfLean(kernel.getKind());
      bool mayBeLean = ifLean && !each.isOfUnknownLoop;
      addedIfLean += mayBeLean ? each.seconds * *ifLean : 0;
      limit(each, whole, isQuick, keepsOthers && !(mayBeLean && addedIfLean <= seconds));
    }
  }

private:
  void limit(const KernelTime &time, double whole, bool isQuick, bool keepsFull) {
    plan::KernelOp kernel = time.kernel;
    Decision decision = decide(time.seconds / whole, time.secondsIfQuick / whole, isQuick);
    if (ledger) {
      decision = ledger->recordUnlessOff(Rule::LimitEffort, kernel, std::move(decision));
    }
    bool isFull = keepsFull || decision.reason == Reason::TurnedOff;
    plan::setCodeEffort(kernel, decision.isTaken() ? plan::CodeEffort::Quick
                                : isFull           ? plan::CodeEffort::Full
                                                   : plan::CodeEffort::Lean);
  }

  Ledger *ledger = nullptr;
  std::optional<CpuTarget> target;
  KernelCosts *kernelCosts = nullptr;
};

std::unique_ptr<Pass> createLimitEffortPass(Ledger &ledger, const CpuTarget &target,
                                            const EffortBudget &budget, KernelCosts *kernelCosts) {
  return std::make_unique<LimitEffortPass>(ledger, target, budget, kernelCosts);
}

} // namespace drumlin
