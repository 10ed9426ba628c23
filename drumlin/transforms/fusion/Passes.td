#ifndef DRUMLIN_TRANSFORMS_FUSION_PASSES
#define DRUMLIN_TRANSFORMS_FUSION_PASSES

include "mlir/Pass/PassBase.td"

def LoopFusionPass : Pass<"loop-fusion", "::mlir::func::FuncOp"> {
  let summary = "operations without a kernel are fused into plan.loop kernels";
  let description = [{
    before: pointwise, shape and gather operations and reductions between kernels
    ==>
    after: `plan.loop` kernels, each with one result, or several that share their producers

    requires: dots, sorts and scatters are in kernels. guarantees: outside kernels are only control flow, reshapes
    (free) and large constants. A producer joins the kernel of its users if recomputing it is cheaper than storing it,
    or if their traversal keeps a row of it.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
}

#endif // DRUMLIN_TRANSFORMS_FUSION_PASSES
