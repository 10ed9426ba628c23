// Rules on what loops carry.
#include "drumlin/transforms/simplify/Passes.h"

#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_SIMPLIFYWHILESPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

// while(x, …) { …; return x, … } = while(…) { …; return … }, where readers of the carried x read
// the initial one
static void useInitialValues(stablehlo::WhileOp loop, llvm::BitVector &unneeded) {
  Block &cond = loop.getCond().front(), &body = loop.getBody().front();
  for (auto [i, yielded] : llvm::enumerate(body.getTerminator()->getOperands())) {
    if (yielded == body.getArgument(static_cast<unsigned>(i))) {
      Value initial = loop->getOperand(static_cast<unsigned>(i));
      body.getArgument(static_cast<unsigned>(i)).replaceUsesWithIf(initial, [&](OpOperand &use) {
        return use.getOwner() != body.getTerminator();
      });
      cond.getArgument(static_cast<unsigned>(i)).replaceAllUsesWith(initial);
      loop->getResult(static_cast<unsigned>(i)).replaceAllUsesWith(initial);
      unneeded.set(static_cast<unsigned>(i));
    }
  }
}

// The same loop without the carried values that are not needed.
static void dropCarried(stablehlo::WhileOp loop, const llvm::BitVector &unneeded) {
  SmallVector<Value> operands;
  SmallVector<Type> types;
  for (auto [i, operand] : llvm::enumerate(loop->getOperands())) {
    if (!unneeded.test(static_cast<unsigned>(i))) {
      operands.push_back(operand);
      types.push_back(operand.getType());
    }
  }
  Block &cond = loop.getCond().front(), &body = loop.getBody().front();
  body.getTerminator()->eraseOperands(unneeded);
  body.eraseArguments(unneeded);
  cond.eraseArguments(unneeded);
  OpBuilder builder(loop);
  OperationState state(loop.getLoc(), loop->getName());
  state.addOperands(operands);
  state.addTypes(types);
  state.addAttributes(loop->getAttrs());
  state.addRegion()->takeBody(loop.getCond());
  state.addRegion()->takeBody(loop.getBody());
  Operation *made = builder.create(state);
  unsigned next = 0;
  for (auto [i, result] : llvm::enumerate(loop->getResults())) {
    if (!unneeded.test(static_cast<unsigned>(i))) {
      result.replaceAllUsesWith(made->getResult(next++));
    }
  }
  loop.erase();
}

struct SimplifyWhilesPass : impl::SimplifyWhilesPassBase<SimplifyWhilesPass> {
  void runOnOperation() override {
    // Inner loops first: what they no longer carry may be carried unchanged by an outer one.
    SmallVector<stablehlo::WhileOp> loops;
    getOperation().walk<WalkOrder::PostOrder>(
        [&](stablehlo::WhileOp loop) { loops.push_back(loop); });
    for (stablehlo::WhileOp loop : loops) {
      llvm::BitVector unneeded(loop->getNumOperands());
      useInitialValues(loop, unneeded);
      if (unneeded.any() && !unneeded.all()) {
        dropCarried(loop, unneeded);
      }
    }
  }
};

} // namespace drumlin
