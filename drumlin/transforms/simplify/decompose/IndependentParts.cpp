#include "drumlin/transforms/simplify/decompose/IndependentParts.h"

#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "drumlin/ir/stablehlo/ScatterOp.h"
#include "drumlin/transforms/simplify/decompose/Decompose.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace drumlin {

IndependentParts::IndependentParts(Operation *op) : op(op), body(op->getRegion(0).front()) {
  count = op->getNumResults();
  for (unsigned i = 0; i < count; ++i) {
    groups.insert(i);
    follow(body.getTerminator()->getOperand(i), i);
  }
}

SmallVector<Value> IndependentParts::separate() {
  OpBuilder builder(op);
  SmallVector<Value> results(count);
  for (const auto *leader : groups) {
    if (!leader->isLeader()) {
      continue;
    }
    SmallVector<unsigned> members;
    for (unsigned member : groups.members(*leader)) {
      members.push_back(member);
    }
    llvm::sort(members);
    Operation *made = take(builder, members);
    for (auto [i, member] : llvm::enumerate(members)) {
      results[member] = made->getResult(static_cast<unsigned>(i));
    }
  }
  return results;
}

// Puts result `i` into one group with each result on whose arguments `value` depends.
void IndependentParts::follow(Value value, unsigned i) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() == &body) {
      groups.unionSets(i, argument.getArgNumber() % count);
    }
    return;
  }
  Operation *maker = value.getDefiningOp();
  if (!op->isProperAncestor(maker) || !seen.insert({maker, i}).second) {
    return;
  }
  maker->walk([&](Operation *inside) {
    for (Value operand : inside->getOperands()) {
      follow(operand, i);
    }
  });
}

// Rebuilds the operation with only some operands: those at the positions `members` of each of its
// operand lists.
Operation *IndependentParts::take(OpBuilder &builder, ArrayRef<unsigned> members) {
  auto ofLists = [&](unsigned size) {
    SmallVector<unsigned> places;
    auto scatter = dyn_cast<stablehlo::ScatterOp>(op);
    for (unsigned first = 0; first + count <= size;) {
      for (unsigned member : members) {
        places.push_back(first + member);
      }
      first += count;
      if (scatter && size == op->getNumOperands() && first == count) {
        places.push_back(first++); // the scatter's indices
      }
    }
    return places;
  };
  OperationState state(op->getLoc(), op->getName());
  state.addAttributes(op->getAttrs());
  for (unsigned place : ofLists(op->getNumOperands())) {
    state.addOperands(op->getOperand(place));
  }
  for (unsigned member : members) {
    state.addTypes(op->getResult(member).getType());
  }
  Region *region = state.addRegion();
  IRMapping mapping;
  op->getRegion(0).cloneInto(region, mapping);
  Block &made = region->front();
  SmallVector<Value> returned;
  for (unsigned member : members) {
    returned.push_back(made.getTerminator()->getOperand(member));
  }
  made.getTerminator()->setOperands(returned);
  for (Operation &inside : llvm::make_early_inc_range(llvm::reverse(made))) {
    if (isOpTriviallyDead(&inside)) {
      inside.erase();
    }
  }
  SmallVector<unsigned> kept = ofLists(made.getNumArguments());
  made.eraseArguments(
      [&](BlockArgument argument) { return !llvm::is_contained(kept, argument.getArgNumber()); });
  return builder.create(state);
}

// If a sum is a separate operation, its elements are added up by lanes and in blocks, so that its
// rounding errors don't grow with the number of elements.
Replacements decomposeIndependent(Operation *op) {
  if (!isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp>(op) || op->getNumResults() < 2) {
    return std::nullopt;
  }
  IndependentParts parts(op);
  return parts.areSeveral() ? Replacements(parts.separate()) : std::nullopt;
}

} // namespace drumlin
