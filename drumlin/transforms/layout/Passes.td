#ifndef DRUMLIN_TRANSFORMS_LAYOUT_PASSES
#define DRUMLIN_TRANSFORMS_LAYOUT_PASSES

include "mlir/Pass/PassBase.td"

def NormalizeReshapesPass : Pass<"normalize-reshapes", "::mlir::func::FuncOp"> {
  let summary = "reshapes between kernels become free bitcasts";
  let description = [{
    before: `stablehlo.reshape` outside kernels, all values row-major
    ==>
    after: `plan.bitcast`

    requires: every value outside kernels is row-major. guarantees: no reshape outside kernels.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
}

#endif // DRUMLIN_TRANSFORMS_LAYOUT_PASSES
