#include "drumlin/transforms/ChangeRecorder.h"

#include "drumlin/ir/plan/Origin.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace drumlin {

ChangeRecorder::Seen ChangeRecorder::Seen::of(Operation *op) {
  return {op->getName(), op->getLoc(), op->getBlock(), op->getParentOp()};
}

void ChangeRecorder::runBeforePass(Pass *pass, Operation *op) {
  // Adaptors only hold other passes.
  if (pass->getArgument().empty()) {
    return;
  }
  ledger.beginPass();
  before.clear();
  op->walk<WalkOrder::PreOrder>([&](Operation *each) { before.push_back({each, Seen::of(each)}); });
}

void ChangeRecorder::runAfterPass(Pass *pass, Operation *op) {
  if (pass->getArgument().empty()) {
    return;
  }
  llvm::DenseMap<Operation *, const Seen *> old;
  for (const auto &[each, seen] : before) {
    old[each] = &seen;
  }
  // What is inside of an operation that was created, erased or moved shares its fate. A block that
  // moves with its operations is one that its operation gave away.
  llvm::DenseSet<Operation *> kept, changed;
  op->walk<WalkOrder::PreOrder>([&](Operation *each) {
    auto found = old.find(each);
    bool isNew = found == old.end() || found->second->name != each->getName() ||
                 found->second->loc != each->getLoc();
    bool isMoved = !isNew && found->second->block != each->getBlock();
    if (!isNew) {
      kept.insert(each);
    }
    if (isNew || isMoved) {
      changed.insert(each);
      if (!changed.contains(each->getParentOp())) {
        answer(pass, Seen::of(each));
      }
    }
  });
  for (const auto &[each, seen] : before) {
    bool wasInside = old.contains(seen.parent) && !kept.contains(seen.parent);
    if (!kept.contains(each) && !wasInside) {
      answer(pass, seen);
    }
  }
  before.clear();
}

void ChangeRecorder::answer(Pass *pass, const Seen &changed) {
  // Terminators belong to their regions.
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
