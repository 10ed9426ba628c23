#include "drumlin/transforms/select/ScheduleRules.h"

#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/heroes/ScatterProblem.h"
#include "drumlin/ir/plan/heroes/SortProblem.h"
#include "drumlin/ir/plan/heroes/WindowProblem.h"

using namespace mlir;

namespace drumlin {

// A text's own schedule takes the place of the rules', where it is one of the kernel's; else code
// generation refuses it.
template <typename Schedule, typename Problem>
static RuleChoice orGiven(RuleChoice choice, Operation *kernel, const Problem &problem) {
  auto given = kernel->getAttrOfType<Schedule>(plan::scheduleAttribute);
  if (given && given != choice.schedule && findScheduleFault(given, problem).empty()) {
    choice.isEdited = true;
    choice.schedule = given;
  }
  return choice;
}

static RuleChoice chooseForLoop(plan::LoopOp loop) {
  std::vector<LoopGroup> groups = groupRoots(loop.getBody().front());
  RuleChoice choice = loopChoice(groups, loop.getContext());
  LoopSchedule usual = cast<plan::LoopScheduleAttr>(choice.schedule).getSchedule();
  std::optional<LoopSchedule> given = loopScheduleOf(loop);
  if (given && !(*given == usual) && findScheduleFault(*given, groups).empty()) {
    choice.isEdited = true;
    choice.changesSums = differsInSums(*given, usual, groups);
    choice.schedule = plan::LoopScheduleAttr::get(loop.getContext(), *given);
  }
  return choice;
}

RuleChoice chooseByRules(Operation *kernel) {
  Block &region = kernel->getRegion(0).front();
  if (isa<plan::SortOp>(kernel)) {
    return orGiven<plan::SortScheduleAttr>(sortChoice(region), kernel, SortProblem(region));
  }
  if (isa<plan::ScatterOp>(kernel)) {
    return orGiven<plan::ScatterScheduleAttr>(scatterChoice(region), kernel,
                                              ScatterProblem(region));
  }
  if (isa<plan::WindowOp>(kernel)) {
    return orGiven<plan::WindowScheduleAttr>(windowChoice(region), kernel, WindowProblem(region));
  }
  return chooseForLoop(cast<plan::LoopOp>(kernel));
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
