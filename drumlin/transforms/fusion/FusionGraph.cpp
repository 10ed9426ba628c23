#include "drumlin/transforms/fusion/FusionGraph.h"

#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace drumlin {

ArrayRef<int64_t> FusionGroup::shape() const { return shapeOf(roots.front()->getResult(0)); }

//===- groups ---------------------------------------------------------------------===//

FusionGroup &FusionGraph::add(Operation *op, bool isLoop) {
  FusionGroup &group = groups.emplace_back();
  group.isLoop = isLoop;
  group.position = order.size();
  order.push_back(&group);
  addFused(group, op);
  return group;
}

void FusionGraph::addAlone(Operation *op) { add(op, /*isLoop=*/false); }

void FusionGraph::addLoop(Operation *root) { add(root, /*isLoop=*/true).roots.push_back(root); }

void FusionGraph::addFused(FusionGroup &group, Operation *op) {
  if (group.kernel.fused.insert(op) && !group.kernel.rematerialized.remove(op)) {
    groupsOfOperation[op].push_back(&group);
  }
}

void FusionGraph::addRematerialized(FusionGroup &group, Operation *op) {
  if (group.kernel.rematerialized.insert(op)) {
    groupsOfOperation[op].push_back(&group);
  }
}

static FusionGroup *current(FusionGroup *group) {
  FusionGroup *last = group;
  while (last->mergedInto) {
    last = last->mergedInto;
  }
  // Shortens the chain of merged groups for later lookups.
  while (group->mergedInto) {
    group = std::exchange(group->mergedInto, last);
  }
  return last;
}

SmallVector<FusionGroup *> FusionGraph::groupsOf(Operation *op) const {
  SetVector<FusionGroup *> found;
  auto entry = groupsOfOperation.find(op);
  if (entry != groupsOfOperation.end()) {
    for (FusionGroup *group : entry->second) {
      found.insert(current(group));
    }
  }
  return found.takeVector();
}

FusionGroup *FusionGraph::homeOf(Operation *op) const {
  auto entry = groupsOfOperation.find(op);
  if (entry == groupsOfOperation.end()) {
    return nullptr;
  }
  for (FusionGroup *group : entry->second) {
    FusionGroup *now = current(group);
    if (now->kernel.fused.contains(op)) {
      return now;
    }
  }
  return nullptr;
}

SmallVector<FusionGroup *> FusionGraph::loops() {
  SmallVector<FusionGroup *> found;
  for (FusionGroup &group : groups) {
    if (group.isLoop && !group.mergedInto) {
      found.push_back(&group);
    }
  }
  return found;
}

//===- data dependences -----------------------------------------------------------===//

SmallVector<Operation *> FusionGraph::producersOf(Operation *op) {
  SmallVector<Operation *> producers;
  auto add = [&](Value value) {
    if (Operation *defining = value.getDefiningOp()) {
      producers.push_back(defining);
    }
  };
  llvm::for_each(op->getOperands(), add);
  if (op->getNumRegions() != 0) {
    auto [entry, isNew] = capturedBy.try_emplace(op);
    if (isNew) {
      llvm::SetVector<Value> captured;
      getUsedValuesDefinedAbove(op->getRegions(), captured);
      for (Value value : captured) {
        if (Operation *defining = value.getDefiningOp()) {
          entry->second.push_back(defining);
        }
      }
    }
    producers.append(entry->second);
  }
  return producers;
}

std::optional<llvm::SmallPtrSet<FusionGroup *, 16>>
FusionGraph::follow(ArrayRef<FusionGroup *> joined, ArrayRef<FusionGroup *> ends, size_t last) {
  llvm::SmallPtrSet<FusionGroup *, 16> reached;
  SmallVector<FusionGroup *> worklist(joined);
  while (!worklist.empty()) {
    FusionGroup *group = worklist.pop_back_val();
    bool isJoined = llvm::is_contained(joined, group);
    for (Operation *op : llvm::concat<Operation *const>(
             group->kernel.fused.getArrayRef(), group->kernel.rematerialized.getArrayRef())) {
      for (Operation *producer : producersOf(op)) {
        FusionGroup *read = group->kernel.contains(producer) ? nullptr : homeOf(producer);
        if (!read || read->position > last) {
          continue;
        }
        bool comesBack = llvm::is_contained(joined, read);
        if (llvm::is_contained(ends, read) || (comesBack && !isJoined)) {
          return std::nullopt;
        }
        if (!comesBack && reached.insert(read).second) {
          worklist.push_back(read);
        }
      }
    }
  }
  return reached;
}

static std::pair<size_t, size_t> extentOf(ArrayRef<FusionGroup *> joined,
                                          ArrayRef<FusionGroup *> readers) {
  size_t first = joined.front()->position, last = first;
  for (FusionGroup *group : joined) {
    first = std::min(first, group->position);
    last = std::max(last, group->position);
  }
  for (FusionGroup *group : readers) {
    last = std::max(last, group->position);
  }
  return {first, last};
}

bool FusionGraph::wouldCycle(ArrayRef<FusionGroup *> joined, ArrayRef<FusionGroup *> readers) {
  return !follow(joined, readers, extentOf(joined, readers).second);
}

// Reorders the groups between the first of `joined` and the last of `joined` and `readers`: first
// the groups that `joined` don't read, in their previous order, then `joined`, then the groups that
// `joined` read.
void FusionGraph::moveBehind(ArrayRef<FusionGroup *> joined, ArrayRef<FusionGroup *> readers) {
  auto [first, last] = extentOf(joined, readers);
  auto reached = follow(joined, readers, last);
  assert(reached && "joining must not create a cycle");
  SmallVector<FusionGroup *> before, behind;
  for (size_t i = first; i <= last; ++i) {
    FusionGroup *group = order[i];
    if (group && !llvm::is_contained(joined, group)) {
      (reached->contains(group) ? behind : before).push_back(group);
    }
  }
  before.append(joined.begin(), joined.end());
  before.append(behind);
  for (size_t i = first; i <= last; ++i) {
    order[i] = i - first < before.size() ? before[i - first] : nullptr;
    if (order[i]) {
      order[i]->position = i;
    }
  }
}

//===- joining --------------------------------------------------------------------===//

void FusionGraph::merge(ArrayRef<FusionGroup *> joined) {
  moveBehind(joined, {});
  FusionGroup *first = joined.front();
  for (FusionGroup *group : joined.drop_front()) {
    first->roots.append(group->roots);
    for (Operation *op : group->kernel.fused) {
      first->kernel.rematerialized.remove(op);
      first->kernel.fused.insert(op);
    }
    for (Operation *op : group->kernel.rematerialized) {
      if (!first->kernel.fused.contains(op)) {
        first->kernel.rematerialized.insert(op);
      }
    }
    group->mergedInto = first;
    group->kernel = {};
    order[group->position] = nullptr;
  }
}

void FusionGraph::addRoot(FusionGroup &group, Operation *op, ArrayRef<FusionGroup *> readers) {
  FusionGroup *joined = &group;
  moveBehind(joined, readers);
  group.roots.push_back(op);
}

} // namespace drumlin
