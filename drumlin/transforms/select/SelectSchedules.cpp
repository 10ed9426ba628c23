// Selects each kernel's schedule. For GEMMs, that is the cost model's choice, or a schedule of the
// algorithm that the user forced. For other kernels, rules choose it.
#include "drumlin/ir/plan/GemmOp.h"
#include "drumlin/ir/plan/KernelSums.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/ScheduleAttributes.h"
#include "drumlin/ir/plan/gemm/SmallSchedule.h"
#include "drumlin/ir/sizes/InstantiateSizes.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/ProductRoles.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/transforms/PassTarget.h"
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/gemm/GemmCandidates.h"
#include "drumlin/transforms/gemm/GemmChoice.h"
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
      if (isFit && plan::scheduleOf(op)) {
        stateSums(op);
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
    // If the program's text has a schedule that doesn't fit, code generation rejects it.
    if (!gemmScheduleOf(gemm)) {
      setSchedule(gemm, choice->schedule);
      selectForOne(gemm, choice->schedule);
    }
    if (ledger) {
      recordSchedule(gemm, *choice, *ledger);
    }
    return true;
  }

  // Records the maximum error of the schedule's sums.
  void stateSums(Operation *kernel) {
    SmallVector<double> units;
    for (Operation &op : kernel->getRegion(0).front()) {
      if (std::optional<SumBound> bound = sumBoundOf(&op)) {
        units.push_back(bound->units());
        Decision decision = Decision::taken();
        decision.remedy = bound->str();
        if (ledger) {
          ledger->record(Rule::ReductionOrder, &op, decision);
        }
      }
    }
    if (!units.empty()) {
      kernel->setAttr(plan::sumUnitsAttribute, DenseF64ArrayAttr::get(&getContext(), units));
    }
  }

  // Returns whether all contracting dimensions are static. If so, a GEMV adds up the same number of
  // elements at all sizes.
  static bool contractsKnownSizes(Operation *hero) {
    auto dot = dyn_cast<stablehlo::DotGeneralOp>(hero);
    std::vector<SizeExpression> sizes = symbolicSizesOf(hero->getOperand(dot ? 0 : 1));
    auto isKnown = [&](int64_t dimension) {
      return sizes[static_cast<size_t>(dimension)].constant().has_value();
    };
    return dot ? llvm::all_of(stablehlo::ProductRoles(dot).lhs().contracting, isKnown)
               : llvm::all_of(llvm::seq<int64_t>(0, static_cast<int64_t>(sizes.size())), isKnown);
  }

  // If one dynamic size gives GEMMs of many rows or columns, size 1 gets a schedule of its own.
  void selectForOne(plan::GemmOp gemm, const GemmSchedule &schedule) {
    std::vector<std::string> names = sizeSymbolsIn(gemm);
    std::vector<SizeSymbol> symbols = sizeSymbolsOf(gemm->getParentOfType<func::FuncOp>());
    bool mayBeOne = names.size() == 1 && llvm::any_of(symbols, [&](const SizeSymbol &symbol) {
                      return symbol.name == names.front() && symbol.minimum <= 1;
                    });
    Block &body = gemm->getRegion(0).front();
    Operation *hero = contractionOf(body);
    // Partial results of tiles are combined by a separate launch.
    bool isCombined =
        llvm::any_of(body, [](Operation &op) { return isa<stablehlo::ReduceOp>(op); });
    if (!mayBeOne || isCombined || schedule.algorithm == plan::GemmAlgorithm::gemv ||
        gemm->hasAttr(plan::forcedKernelAttribute) || !contractsKnownSizes(hero)) {
      return;
    }
    OwningOpRef<Operation *> one = gemm->clone();
    if (!changeNominalSizes(*one, [](std::string_view) { return int64_t(1); })) {
      return;
    }
    GemmSchedule best = GemmChoice(*one, *target, numerics).alternatives().front().schedule;
    if (best.algorithm == plan::GemmAlgorithm::gemv &&
        findScheduleFault(best, scheduledProblem(hero, best)).empty()) {
      setSmallSchedule(gemm, {SizeExpression::symbol(names.front()), 1,
                              plan::GemmScheduleAttr::get(gemm.getContext(), best)});
    }
  }

  void selectByRules(Operation *kernel) {
    RuleChoice choice = chooseByRules(kernel, *target);
    if (!plan::scheduleOf(kernel)) {
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
