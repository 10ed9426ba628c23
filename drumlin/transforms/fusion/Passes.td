#ifndef DRUMLIN_TRANSFORMS_FUSION_PASSES
#define DRUMLIN_TRANSFORMS_FUSION_PASSES

include "mlir/Pass/PassBase.td"

def LoopFusionPass : Pass<"loop-fusion", "::mlir::func::FuncOp"> {
  let summary = "what has no kernel yet is gathered into plan.loop kernels";
  let description = [{
    before: pointwise, shape and gather operations and reductions between kernels
    ==>
    after: `plan.loop` kernels, each with one result, or several that share their producers

    requires: dots, sorts and scatters are in kernels. guarantees: outside kernels are left only kernels, control flow,
    reshapes (free) and large constants.
    A producer joins the kernel of its users where recomputing it is cheaper than a copy in memory,
    or where their traversal keeps a row of it.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
}

#endif // DRUMLIN_TRANSFORMS_FUSION_PASSES
