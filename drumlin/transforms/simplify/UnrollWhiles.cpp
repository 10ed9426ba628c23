// Unrolls short loops without dots or convolutions. Otherwise the values of each iteration would
// pass through memory.
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "drumlin/transforms/simplify/Passes.h"

#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/TripCount.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_UNROLLWHILESPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

// Maximum operations of all iterations together, without constants. Twenty rounds of a random
// generator's hash have about 150. A loop with more operations takes longer to compile than to run.
static constexpr int64_t maxOperations = 512, maxTrips = 16;

// Returns the number of operations of an iteration, or nothing if any of them is more than
// elementwise arithmetic.
static std::optional<int64_t> countOperations(Block &body) {
  int64_t count = 0;
  for (Operation &op : body.without_terminator()) {
    switch (classify(&op)) {
    case OperationClass::Constant:
      break;
    case OperationClass::DataMovement:
    case OperationClass::Pointwise:
    case OperationClass::Gather:
      ++count;
      break;
    default:
      return std::nullopt;
    }
  }
  return count;
}

// while(i = 0; i < n) { f } = f; …; f, n times
static void unroll(stablehlo::WhileOp loop, int64_t trips) {
  SmallVector<Value> carried(loop->getOperands());
  Block &body = loop.getBody().front();
  OpBuilder builder(loop);
  for (int64_t i = 0; i < trips; ++i) {
    IRMapping mapping;
    mapping.map(body.getArguments(), carried);
    for (Operation &op : body.without_terminator()) {
      builder.clone(op, mapping);
    }
    for (auto [value, yielded] : llvm::zip(carried, body.getTerminator()->getOperands())) {
      value = mapping.lookupOrDefault(yielded);
    }
  }
  loop->replaceAllUsesWith(carried);
  loop.erase();
}

struct UnrollWhilesPass : impl::UnrollWhilesPassBase<UnrollWhilesPass> {
  void runOnOperation() override {
    SmallVector<stablehlo::WhileOp> loops;
    getOperation().walk<WalkOrder::PostOrder>(
        [&](stablehlo::WhileOp loop) { loops.push_back(loop); });
    for (stablehlo::WhileOp loop : loops) {
      std::optional<int64_t> operations = countOperations(loop.getBody().front());
      std::optional<int64_t> trips = operations ? tripCount(loop) : std::nullopt;
      bool isSame = llvm::equal(loop->getOperandTypes(), loop->getResultTypes());
      if (trips && isSame && *trips <= maxTrips && *trips * *operations <= maxOperations) {
        unroll(loop, *trips);
      }
    }
  }
};

} // namespace drumlin
