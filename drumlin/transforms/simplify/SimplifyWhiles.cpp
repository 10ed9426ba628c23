// Simplifies the values that loops carry.
#include "drumlin/transforms/simplify/Passes.h"

#include "drumlin/ir/stablehlo/WhileOp.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_SIMPLIFYWHILESPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

// while(x, …) { …; return x, … } = while(…) { …; return … }, with uses of the carried x replaced by
// its initial value
static void useInitialValues(stablehlo::WhileOp loop, llvm::BitVector &unneeded) {
  Block &cond = loop.getCond().front(), &body = loop.getBody().front();
  for (OpOperand &yielded : body.getTerminator()->getOpOperands()) {
    unsigned i = yielded.getOperandNumber();
    if (yielded.get() == body.getArgument(i)) {
      Value initial = loop->getOperand(i);
      // The loop may also yield the value as another carried value.
      body.getArgument(i).replaceUsesWithIf(initial,
                                            [&](OpOperand &use) { return &use != &yielded; });
      cond.getArgument(i).replaceAllUsesWith(initial);
      loop->getResult(i).replaceAllUsesWith(initial);
      unneeded.set(i);
    }
  }
}

// Rebuilds the loop without the carried values that are not needed.
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
    // Inner loops come first: values that they no longer carry may be invariant in an outer loop.
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
