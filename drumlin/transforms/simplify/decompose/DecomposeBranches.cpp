// Rewrites if(p) { x } { y } as select(p, x, y) in scalar functions of reductions, windows,
// scatters and sorts: kernels compute several elements at once, which may take different branches.
#include "drumlin/ir/stablehlo/CaseOp.h"
#include "drumlin/ir/stablehlo/IfOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "drumlin/ir/stablehlo/ReturnOp.h"
#include "drumlin/ir/stablehlo/ScatterOp.h"
#include "drumlin/ir/stablehlo/SelectAndScatterOp.h"
#include "drumlin/ir/stablehlo/SortOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "drumlin/transforms/simplify/decompose/Decompose.h"
#include "drumlin/transforms/simplify/decompose/Lifting.h"

using namespace mlir;

namespace drumlin {

// Blocks with loops can't be converted to selects.
static bool canSelect(Block &block) {
  bool hasBranches = false, hasLoops = false;
  block.walk([&](Operation *op) {
    hasBranches |= isa<stablehlo::IfOp, stablehlo::CaseOp>(op);
    hasLoops |= isa<stablehlo::WhileOp>(op);
  });
  return hasBranches && !hasLoops && isElementwise(block);
}

void decomposeBranches(Operation *op) {
  if (!isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp, stablehlo::ScatterOp,
           stablehlo::SelectAndScatterOp, stablehlo::SortOp>(op)) {
    return;
  }
  for (Region &region : op->getRegions()) {
    Block &block = region.front();
    if (!canSelect(block)) {
      continue;
    }
    OpBuilder builder(op->getContext());
    SmallVector<Location> locations(block.getNumArguments(), op->getLoc());
    Block *made = builder.createBlock(&region, region.end(), block.getArgumentTypes(), locations);
    TensorBuilder b(builder, op->getLoc());
    SmallVector<Value> results = lift(b, block, made->getArguments(), {});
    stablehlo::ReturnOp::create(b.operations(), op->getLoc(), results);
    block.erase();
  }
}

} // namespace drumlin
