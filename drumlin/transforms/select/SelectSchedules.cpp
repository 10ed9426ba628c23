// Each kernel's schedule: the cost model's, or one of the algorithm that the user has named.
#include "drumlin/transforms/gemm/GemmCandidates.h"
#include "drumlin/transforms/select/Passes.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_SELECTSCHEDULESPASS
#include "drumlin/transforms/select/Passes.h.inc"

struct SelectSchedulesPass : impl::SelectSchedulesPassBase<SelectSchedulesPass> {
  using impl::SelectSchedulesPassBase<SelectSchedulesPass>::SelectSchedulesPassBase;
  SelectSchedulesPass(Ledger &ledger, const CpuTarget &target, std::optional<Diagnostic> &failure)
      : ledger(&ledger), target(target), failure(&failure) {}

  void runOnOperation() override {
    if (!target) {
      Result<CpuTarget> found = cpuTargetFromName(targetCpu);
      if (!found) {
        getOperation().emitError(found.error().message);
        return signalPassFailure();
      }
      target = *found;
    }
    bool isFit = true;
    getOperation().walk([&](plan::GemmOp gemm) { isFit = isFit && select(gemm); });
    if (!isFit) {
      signalPassFailure();
    }
  }

private:
  bool select(plan::GemmOp gemm) {
    Result<ScheduleChoice> choice = chooseGemmSchedule(gemm, *target);
    if (!choice) {
      gemm.emitError(choice.error().message);
      if (failure) {
        *failure = choice.error();
      }
      return false;
    }
    // A text's own that doesn't fit is code generation's to refuse.
    if (!scheduleOf(gemm)) {
      setSchedule(gemm, choice->schedule);
    }
    if (ledger) {
      recordSchedule(gemm, *choice, *ledger);
    }
    return true;
  }

  Ledger *ledger = nullptr;
  std::optional<CpuTarget> target;
  std::optional<Diagnostic> *failure = nullptr;
};

std::unique_ptr<Pass> createSelectSchedulesPass(Ledger &ledger, const CpuTarget &target,
                                                std::optional<Diagnostic> &failure) {
  return std::make_unique<SelectSchedulesPass>(ledger, target, failure);
}

} // namespace drumlin
