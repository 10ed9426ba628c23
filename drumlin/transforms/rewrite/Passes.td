#ifndef DRUMLIN_TRANSFORMS_REWRITE_PASSES
#define DRUMLIN_TRANSFORMS_REWRITE_PASSES

include "mlir/Pass/PassBase.td"

def GemmRewritePass : Pass<"gemm-rewrite", "::mlir::func::FuncOp"> {
  let summary = "a dot or convolution with what feeds and follows it becomes one plan.gemm";
  let description = [{
    before: `dot_general` and `convolution` among pointwise and shape operations
    ==>
    after: `plan.gemm`, whose region holds the dot, its prologue (conversions, scales, transposes, … of the operands)
    and its epilogue (bias, activation, clamp, conversion, amax, …)

    requires: no calls. guarantees: no dot or convolution outside a plan.gemm.
    Not for programs whose dots must stay visible to further StableHLO passes: it is the step into the plan.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
}

def HeroRewritePass : Pass<"hero-rewrite", "::mlir::func::FuncOp"> {
  let summary = "sort, top_k, scatter and select_and_scatter each become a kernel of their own";
  let description = [{
    before: `sort`, `top_k`, `scatter`, `select_and_scatter`
    ==>
    after: `plan.sort`, `plan.scatter`, `plan.window`

    requires: no calls. guarantees: none of these operations outside a kernel.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
}

#endif // DRUMLIN_TRANSFORMS_REWRITE_PASSES
