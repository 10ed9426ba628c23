// Each kernel's schedule: the cost model's, or one of the algorithm that the user has named.
#include "drumlin/ir/plan/Work.h"
#include "drumlin/transforms/select/GemmCandidates.h"
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
    if (scheduleOf(gemm)) {
      return true;
    }
    Result<GemmSchedule> schedule = chooseGemmSchedule(gemm, *target);
    if (!schedule) {
      gemm.emitError(schedule.error().message);
      if (failure) {
        *failure = schedule.error();
      }
      return false;
    }
    setSchedule(gemm, *schedule);
    if (ledger) {
      Operation *hero = contractionOf(gemm.getBody().front());
      Decision decision = Decision::taken();
      decision.remedy = schedule->str();
      ledger->record(Rule::SelectSchedule, hero, decision);
      if (schedule->unit == plan::ProductUnit::bf16_pairs) {
        ledger->record(Rule::GemmBf16Dot, hero, Decision::taken());
      }
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
