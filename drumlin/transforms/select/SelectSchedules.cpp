// Each kernel's schedule: a product's is the cost model's, or one of the algorithm that the user
// has named; others' follow from rules.
#include "drumlin/transforms/PassTarget.h"
#include "drumlin/transforms/gemm/GemmCandidates.h"
#include "drumlin/transforms/select/Passes.h"
#include "drumlin/transforms/select/ScheduleRules.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_SELECTSCHEDULESPASS
#include "drumlin/transforms/select/Passes.h.inc"

struct SelectSchedulesPass : impl::SelectSchedulesPassBase<SelectSchedulesPass> {
  using impl::SelectSchedulesPassBase<SelectSchedulesPass>::SelectSchedulesPassBase;
  SelectSchedulesPass(Ledger &ledger, const CpuTarget &target, Numerics numerics,
                      std::optional<Diagnostic> &failure)
      : ledger(&ledger), target(target), numerics(numerics), failure(&failure) {}

  void runOnOperation() override {
    if (!takeTarget(target, getOperation(), targetName, failure)) {
      return signalPassFailure();
    }
    bool isFit = true;
    getOperation().walk([&](Operation *op) {
      if (auto gemm = dyn_cast<plan::GemmOp>(op)) {
        isFit = isFit && select(gemm);
      } else if (plan::kernelKindOf(op)) {
        selectByRules(op);
      }
    });
    if (!isFit) {
      signalPassFailure();
    }
  }

private:
  bool select(plan::GemmOp gemm) {
    Result<ScheduleChoice> choice = chooseGemmSchedule(gemm, *target, numerics);
    if (!choice) {
      reportFailure(gemm, choice.error(), failure);
      return false;
    }
    // A text's own that doesn't fit is code generation's to refuse.
    if (!gemmScheduleOf(gemm)) {
      setSchedule(gemm, choice->schedule);
    }
    if (ledger) {
      recordSchedule(gemm, *choice, *ledger);
    }
    return true;
  }

  void selectByRules(Operation *kernel) {
    RuleChoice choice = chooseByRules(kernel);
    if (!plan::hasSchedule(kernel)) {
      kernel->setAttr(plan::scheduleAttribute, choice.schedule);
    }
    if (ledger) {
      recordSchedule(kernel, choice, *ledger);
    }
  }

  Ledger *ledger = nullptr;
  std::optional<CpuTarget> target;
  Numerics numerics = Numerics::Default;
  std::optional<Diagnostic> *failure = nullptr;
};

std::unique_ptr<Pass> createSelectSchedulesPass(Ledger &ledger, const CpuTarget &target,
                                                Numerics numerics,
                                                std::optional<Diagnostic> &failure) {
  return std::make_unique<SelectSchedulesPass>(ledger, target, numerics, failure);
}

} // namespace drumlin
