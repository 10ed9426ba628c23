#include "drumlin/driver/Pipelines.h"
#include "drumlin/driver/backend/Backends.h"
#include "drumlin/ir/plan/FusedMultiplyAdd.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/plan/ScheduleAttributes.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/transforms/buffers/Passes.h"
#include "drumlin/transforms/gemm/GemmCandidates.h"
#include "drumlin/transforms/layout/Passes.h"
#include "drumlin/transforms/rewrite/Passes.h"
#include "drumlin/transforms/schedule/Passes.h"
#include "drumlin/transforms/select/Passes.h"
#include "drumlin/transforms/select/ScheduleRules.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <limits>

using namespace mlir;

namespace drumlin {

void CpuBackend::addRewrites(PipelineBuilder &pipeline, Ledger &ledger) const {
  pipeline.add<func::FuncOp>(createUnrollReductionsPass(ledger));
  pipeline.add<func::FuncOp>(createWidenScansPass(ledger));
  pipeline.add<func::FuncOp>(createWidenScattersPass(ledger, target));
  pipeline.add<func::FuncOp>(
      createSplitContractionsPass(ledger, target, pipeline.compileOptions().numerics));
  pipeline.add<func::FuncOp>(createSplitDilationsPass(ledger));
}

void CpuBackend::addSplits(PipelineBuilder &pipeline, Ledger &ledger) const {
  pipeline.add<func::FuncOp>(createSplitReductionsPass(ledger));
}

void CpuBackend::addLayouts(PipelineBuilder &pipeline, Ledger &ledger) const {
  pipeline.add<func::FuncOp>(createMergeDimensionsPass(ledger));
  pipeline.add<func::FuncOp>(
      createBlockLayoutsPass(ledger, target, pipeline.compileOptions().numerics));
}

void CpuBackend::addSelection(PipelineBuilder &pipeline, Ledger &ledger) const {
  const Numerics &numerics = pipeline.compileOptions().numerics;
  pipeline.add<func::FuncOp>(createSelectSchedulesPass(ledger, target, numerics, pipeline.failure));
  if (numerics.allows(Relaxation::Contract)) {
    pipeline.add<func::FuncOp>(createContractProductsPass(ledger, target));
  }
}

// The share of the predicted run time that quickly generated code may add at `-O1`.
static constexpr double quickShare = 0.02;

void CpuBackend::addEfforts(PipelineBuilder &pipeline, Ledger &ledger) const {
  const CompileOptions &options = pipeline.compileOptions();
  EffortBudget budget;
  budget.seconds = options.unnoticedSeconds;
  if (options.level < 2) {
    budget.share = options.level == 0 ? std::numeric_limits<double>::infinity() : quickShare;
  } else {
    budget.others = plan::CodeEffort::Full;
  }
  if (options.level < 2 || budget.seconds > 0) {
    pipeline.add(createLimitEffortPass(ledger, target, budget, pipeline.kernelCosts));
  }
}

void CpuBackend::addGroups(PipelineBuilder &pipeline, Ledger &ledger) const {
  if (pipeline.compileOptions().level > 0) {
    pipeline.add(createGroupLaunchesPass(ledger, target, pipeline.kernelCosts));
  }
}

void CpuBackend::recordEdits(ModuleOp module, const CompileOptions &options, Ledger &ledger) const {
  ledger.beginPhase("select");
  module.walk([&](Operation *op) {
    if (gemmScheduleOf(op)) {
      Result<ScheduleChoice> choice = chooseGemmSchedule(op, target, options.numerics);
      if (choice && choice->isEdited) {
        recordSchedule(op, *choice, ledger);
      }
    } else if (plan::kernelKindOf(op) && plan::scheduleOf(op)) {
      RuleChoice choice = chooseByRules(op, target);
      if (choice.isEdited) {
        recordSchedule(op, choice, ledger);
      }
    }
  });
}

Status CpuBackend::checkOperations(ModuleOp module) const {
  Status status = Done{};
  module.walk([&](Operation *op) {
    if (op->hasAttr(plan::fmaAttribute) && !target.hasFma()) {
      status = diagnose(
          errors::ScheduleUnfit, "`" + target.name + "` has no `" + plan::fmaAttribute + "`",
          plan::sourceOf(op->getLoc()),
          std::string("remove `") + plan::fmaAttribute + "`, or start from the phase `layout`");
    }
  });
  return status;
}

} // namespace drumlin
