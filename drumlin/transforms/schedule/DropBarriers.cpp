// optimization_barrier(x, …) = x, …, once all fusion is done
#include "drumlin/transforms/schedule/Passes.h"

#include "drumlin/ir/stablehlo/OptimizationBarrierOp.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_DROPBARRIERSPASS
#include "drumlin/transforms/schedule/Passes.h.inc"

struct DropBarriersPass : impl::DropBarriersPassBase<DropBarriersPass> {
  void runOnOperation() override {
    getOperation().walk([](stablehlo::OptimizationBarrierOp barrier) {
      barrier->replaceAllUsesWith(barrier->getOperands());
      barrier.erase();
    });
  }
};

} // namespace drumlin
