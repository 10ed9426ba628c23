#include "drumlin/transforms/select/ScheduleRules.h"

#include "drumlin/ir/plan/GemmOp.h"
#include "drumlin/ir/plan/KernelKinds.h"
#include "drumlin/ir/plan/LoopOp.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/transforms/Rules.h"

using namespace mlir;

namespace drumlin {

static LoopSchedule scheduleOf(const RuleChoice &choice) {
  return cast<plan::LoopScheduleAttr>(choice.schedule).getSchedule();
}

RuleChoice choose(ScheduleRules<plan::LoopOp> /*of*/, plan::LoopOp loop, const CpuTarget &target) {
  std::vector<LoopGroup> groups = groupRoots(loop.getBody().front());
  RuleChoice usual = loopChoice(groups, target, loop.getContext());
  RuleChoice choice = orGiven(usual, loop);
  choice.changesSums =
      choice.isEdited && differsInSums(scheduleOf(choice), scheduleOf(usual), groups);
  return choice;
}

RuleChoice orGiven(RuleChoice choice, Operation *kernel) {
  plan::KernelSchedule given = plan::scheduleOf(kernel);
  if (given && given != choice.schedule && given.findFault(kernel).empty()) {
    choice.isEdited = true;
    choice.schedule = given;
  }
  return choice;
}

RuleChoice chooseByRules(Operation *kernel, const CpuTarget &target) {
  return plan::withKernelKind(*plan::kernelKindOf(kernel), [&]<typename Op>() -> RuleChoice {
    if constexpr (std::is_same_v<Op, plan::GemmOp>) {
      llvm_unreachable("GEMM schedules are chosen by predicted time");
    } else {
      return choose(ScheduleRules<Op>(), cast<Op>(kernel), target);
    }
  });
}

// Returns the operation that ledger entries name: the hero, or else the last operation that
// computes, or else the last operation.
static Operation *mainOperation(Operation *kernel) {
  Operation *last = nullptr, *computing = nullptr;
  for (Operation &op : llvm::reverse(kernel->getRegion(0).front().without_terminator())) {
    OperationClass of = classify(&op);
    if (of == OperationClass::Hero) {
      return &op;
    }
    bool computes = of != OperationClass::Constant && of != OperationClass::DataMovement;
    computing = computing || !computes ? computing : &op;
    last = last ? last : &op;
  }
  return computing ? computing : last ? last : kernel;
}

// Returns a schedule without the kernel's kind, which is already known: `rows, tile = 8` for
// `#plan.loop<[rows, tile = 8]>`.
static std::string textOf(Attribute schedule) {
  std::string text;
  llvm::raw_string_ostream(text) << schedule;
  StringRef inner = StringRef(text).drop_until([](char c) { return c == '<'; });
  return inner.drop_front().drop_back().str();
}

void recordSchedule(Operation *kernel, const RuleChoice &choice, Ledger &ledger) {
  Operation *about = mainOperation(kernel);
  Decision decision = Decision::taken();
  decision.remedy = textOf(choice.schedule);
  decision.prediction.emplace();
  if (!choice.isEdited) {
    decision.prediction->runnerUp = choice.runnerUp;
    decision.prediction->turningPoint = choice.turningPoint;
  }
  ledger.record(Rule::SelectSchedule, about, decision);
  if (choice.changesSums) {
    ledger.record(Rule::ForcedSumOrder, about, Decision::taken());
  }
}

} // namespace drumlin
