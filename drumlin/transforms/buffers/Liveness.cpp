#include "drumlin/transforms/buffers/Liveness.h"

#include "drumlin/ir/plan/ArenaSlots.h"
#include "drumlin/ir/plan/BitcastOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "drumlin/support/Cost.h"

using namespace mlir;

namespace drumlin {

Liveness::Liveness(func::FuncOp function, const Reuse &reuse) : reuse(reuse) {
  number(function.getBody().front());
  for (auto [result, donor] : donorsOf(function)) {
    donatedUntil[result] = lastUseOf(donor);
  }
  Operation *terminator = function.getBody().front().getTerminator();
  for (OpOperand &operand : terminator->getOpOperands()) {
    Value storage = storageOf(operand.get());
    auto found = intervals.find(keyOf(storage));
    if (found != intervals.end()) {
      found->second.result = operand.getOperandNumber();
    }
  }
}

std::vector<Interval *> Liveness::inOrder() {
  std::vector<Interval *> all;
  for (auto &key : order) {
    all.push_back(&intervals[key]);
  }
  return all;
}
Liveness::Key Liveness::keyOf(Value storage) {
  if (stablehlo::WhileOp loop = loopOfArgument(storage)) {
    return {loop, cast<BlockArgument>(storage).getArgNumber()};
  }
  auto result = dyn_cast<OpResult>(storage);
  return result ? Key(result.getOwner(), result.getResultNumber()) : Key(nullptr, 0);
}

void Liveness::define(Operation *op) {
  for (OpResult result : op->getResults()) {
    Value memory = reuse.memoryOf(result);
    if (memory != result && intervals.count(keyOf(memory)) != 0) {
      use(result);
      continue;
    }
    // The first value in the memory of a loop's carried value is the initial value.
    Key key = keyOf(memory);
    if (memory == result && intervals.count(key) != 0) {
      use(result);
      continue;
    }
    Interval &made = intervals[key];
    made = {bytesOf(result), next, next, -1, std::nullopt};
    if (hasSymbolicSizes(result.getType())) {
      SizeExpression bytes = symbolicBytesOf(cast<RankedTensorType>(result.getType()));
      made.slotBytes = bytes.roundedUpTo(bufferAlignment);
    }
    for (Value larger : reuse.overwritable(result)) {
      auto found = intervals.find(keyOf(reuse.memoryOf(larger)));
      if (found != intervals.end()) {
        made.overwritable.push_back(&found->second);
      }
    }
    order.push_back(key);
  }
}

// Extends the storage's lifetime to the current operation. If the storage was created outside a
// loop that is still open, extends the lifetime to the end of that loop.
void Liveness::use(Value value) {
  Value storage = reuse.memoryOf(value);
  auto found = intervals.find(keyOf(storage));
  if (found == intervals.end()) {
    return;
  }
  Operation *owner = found->first.first;
  found->second.end = std::max(found->second.end, next);
  for (Operation *loop : openLoops) {
    if (owner != loop && !loop->isProperAncestor(owner)) {
      usedInLoop[loop].insert(found->first);
      break;
    }
  }
}

void Liveness::number(Block &block) {
  for (Operation &op : block) {
    ++next;
    for (Value operand : op.getOperands()) {
      use(operand);
    }
    if (isa<plan::BitcastOp, stablehlo::ConstantOp>(op)) {
      continue;
    }
    define(&op);
    lastNumber[&op] = next;
    if (op.getNumRegions() == 0) {
      continue;
    }
    // At most one branch runs. Numbering the branches one after another is valid for each of them.
    bool isLoop = isa<stablehlo::WhileOp>(op);
    if (isLoop) {
      openLoops.push_back(&op);
    }
    for (Region &region : op.getRegions()) {
      number(region.front());
    }
    if (isLoop) {
      openLoops.pop_back();
    }
    lastNumber[&op] = ++next;
    for (unsigned i = 0; i < op.getNumResults(); ++i) {
      intervals[{&op, i}].end = next;
    }
    for (const Key &key : usedInLoop[&op]) {
      intervals[key].end = std::max(intervals[key].end, next);
    }
    // Values that an inner loop keeps alive are kept alive by the loops around it too.
    for (Operation *outer : openLoops) {
      for (const Key &key : usedInLoop[&op]) {
        if (!outer->isProperAncestor(key.first)) {
          usedInLoop[outer].insert(key);
        }
      }
    }
  }
}

int64_t Liveness::lastUseOf(BlockArgument argument) const {
  int64_t last = 0;
  SmallVector<Value> names = {argument};
  while (!names.empty()) {
    for (Operation *user : names.pop_back_val().getUsers()) {
      if (auto bitcast = dyn_cast<plan::BitcastOp>(user)) {
        names.push_back(bitcast.getResult());
      }
      Operation *ancestor = argument.getOwner()->findAncestorOpInBlock(*user);
      last = std::max(last, lastNumber.lookup(ancestor));
    }
  }
  return last;
}

} // namespace drumlin
