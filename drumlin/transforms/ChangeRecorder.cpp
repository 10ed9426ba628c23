#include "drumlin/transforms/ChangeRecorder.h"

#include "drumlin/ir/plan/Origin.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace drumlin {

std::vector<ChangeRecorder::Seen> ChangeRecorder::see(Operation *root) {
  std::vector<Seen> all;
  llvm::DenseMap<Operation *, size_t> places;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    size_t place = all.size();
    auto parent = places.find(op->getParentOp());
    bool isRoot = parent == places.end();
    unsigned region = isRoot ? 0 : op->getParentRegion()->getRegionNumber();
    auto hashOf = [](auto types) { return llvm::hash_combine_range(types); };
    llvm::hash_code types =
        llvm::hash_combine(hashOf(op->getOperandTypes()), hashOf(op->getResultTypes()));
    all.push_back({op->getName(), op->getLoc(), types, isRoot ? place : parent->second, region});
    places[op] = place;
  });
  return all;
}

ChangeRecorder::Identity ChangeRecorder::identityOf(const std::vector<Seen> &all,
                                                    const Seen &seen) {
  const Seen &parent = all[seen.parent];
  return {seen.name.getAsOpaquePointer(),   seen.loc.getAsOpaquePointer(),   seen.types,
          parent.name.getAsOpaquePointer(), parent.loc.getAsOpaquePointer(), seen.region};
}

void ChangeRecorder::runBeforePass(Pass *pass, Operation *op) {
  // A pass adaptor only runs other passes, which are recorded themselves.
  if (pass->getArgument().empty()) {
    return;
  }
  ledger.beginPass();
  before = see(op);
}

void ChangeRecorder::runAfterPass(Pass *pass, Operation *op) {
  if (pass->getArgument().empty()) {
    return;
  }
  std::vector<Seen> after = see(op);
  llvm::DenseMap<Identity, int64_t> left; // operations before the pass minus operations after it
  for (const Seen &seen : before) {
    ++left[identityOf(before, seen)];
  }
  // Operations inside a created or erased operation need no separate entries.
  auto answerChanged = [&](const std::vector<Seen> &all, const std::vector<bool> &isChanged) {
    for (auto [place, seen] : llvm::enumerate(all)) {
      if (isChanged[place] && (seen.parent == place || !isChanged[seen.parent])) {
        answer(pass, seen);
      }
    }
  };
  std::vector<bool> isNew(after.size()), isGone(before.size());
  for (auto [place, seen] : llvm::enumerate(after)) {
    isNew[place] = left[identityOf(after, seen)]-- <= 0;
  }
  for (size_t place = before.size(); place-- > 0;) {
    isGone[place] = left[identityOf(before, before[place])]-- > 0;
  }
  answerChanged(after, isNew);
  answerChanged(before, isGone);
  before.clear();
}

void ChangeRecorder::answer(Pass *pass, const Seen &changed) {
  // Terminators belong to their regions, so they need no entries.
  if (changed.name.hasTrait<OpTrait::IsTerminator>()) {
    return;
  }
  llvm::SmallVector<int64_t> origins = plan::originsOf(changed.loc);
  llvm::append_range(origins, plan::callPathOf(changed.loc));
  if (ledger.hasAnswered(origins)) {
    return;
  }
  std::string_view flag = pass->getArgument();
  const RuleInfo *rule = findRule(flag);
  if (rule && rule->kind == RuleKind::Counts && !origins.empty()) {
    ledger.count(rule->rule, changed.loc, changed.name.getStringRef());
    return;
  }
  std::string source = plan::sourceOf(changed.loc);
  unanswered.push_back(std::string(flag) + ": " + changed.name.getStringRef().str() +
                       (source.empty() ? "" : " at " + source));
}

} // namespace drumlin
