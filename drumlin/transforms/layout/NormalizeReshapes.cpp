// reshape(x) = bitcast(x), where both are row-major: the bytes stay where they are.
#include "drumlin/transforms/layout/Passes.h"

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_NORMALIZERESHAPESPASS
#include "drumlin/transforms/layout/Passes.h.inc"

struct NormalizeReshapesPass : impl::NormalizeReshapesPassBase<NormalizeReshapesPass> {
  void runOnOperation() override {
    SmallVector<stablehlo::ReshapeOp> reshapes;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (plan::kernelKindOf(op)) {
        return WalkResult::skip();
      }
      if (auto reshape = dyn_cast<stablehlo::ReshapeOp>(op)) {
        reshapes.push_back(reshape);
      }
      return WalkResult::advance();
    });
    for (stablehlo::ReshapeOp reshape : reshapes) {
      OpBuilder builder(reshape);
      auto bitcast = plan::BitcastOp::create(builder, reshape.getLoc(), reshape.getType(),
                                             reshape.getOperand());
      reshape.replaceAllUsesWith(bitcast.getResult());
      reshape.erase();
    }
  }
};

} // namespace drumlin
