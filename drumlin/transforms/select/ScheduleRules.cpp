#include "drumlin/transforms/select/ScheduleRules.h"

#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/heroes/ScatterProblem.h"
#include "drumlin/ir/plan/heroes/SortProblem.h"
#include "drumlin/ir/plan/heroes/WindowProblem.h"

using namespace mlir;

namespace drumlin {

// A text's own schedule takes the place of the rules', where it fits the kernel; else code
// generation refuses it.
template <typename Schedule>
static RuleChoice orGiven(RuleChoice choice, Operation *kernel,
                          llvm::function_ref<std::string(Schedule)> findFault) {
  auto given = kernel->getAttrOfType<Schedule>(plan::scheduleAttribute);
  if (given && given != choice.schedule && findFault(given).empty()) {
    choice.isEdited = true;
    choice.schedule = given;
  }
  return choice;
}

template <typename Schedule, typename Problem>
static RuleChoice chooseForHero(RuleChoice (&rules)(Block &), Operation *kernel) {
  Block &region = kernel->getRegion(0).front();
  return orGiven<Schedule>(rules(region), kernel, [&](Schedule given) {
    return findScheduleFault(given, Problem(region));
  });
}

static LoopSchedule scheduleOf(const RuleChoice &choice) {
  return cast<plan::LoopScheduleAttr>(choice.schedule).getSchedule();
}

static RuleChoice chooseForLoop(Operation *loop) {
  std::vector<LoopGroup> groups = groupRoots(loop->getRegion(0).front());
  RuleChoice usual = loopChoice(groups, loop->getContext());
  RuleChoice choice =
      orGiven<plan::LoopScheduleAttr>(usual, loop, [&](plan::LoopScheduleAttr given) {
        return findScheduleFault(given.getSchedule(), groups);
      });
  choice.changesSums =
      choice.isEdited && differsInSums(scheduleOf(choice), scheduleOf(usual), groups);
  return choice;
}

RuleChoice chooseByRules(Operation *kernel) {
  if (isa<plan::SortOp>(kernel)) {
    return chooseForHero<plan::SortScheduleAttr, SortProblem>(sortChoice, kernel);
  }
  if (isa<plan::ScatterOp>(kernel)) {
    return chooseForHero<plan::ScatterScheduleAttr, ScatterProblem>(scatterChoice, kernel);
  }
  if (isa<plan::WindowOp>(kernel)) {
    return chooseForHero<plan::WindowScheduleAttr, WindowProblem>(windowChoice, kernel);
  }
  return chooseForLoop(kernel);
}

// What entries are about: the hero, the last operation that computes, or the last one.
static Operation *mainOperation(Operation *kernel) {
  Operation *last = nullptr, *computing = nullptr;
  for (Operation &op : llvm::reverse(kernel->getRegion(0).front().without_terminator())) {
    OperationClass of = classify(&op);
    if (of == OperationClass::Hero) {
      return &op;
    }
    bool computes = of != OperationClass::Constant && of != OperationClass::Move;
    computing = computing || !computes ? computing : &op;
    last = last ? last : &op;
  }
  return computing ? computing : last ? last : kernel;
}

// `rows, tile = 8` of `#plan.loop<[rows, tile = 8]>`: its kind is the kernel's.
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
