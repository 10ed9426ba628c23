#ifndef DRUMLIN_TRANSFORMS_LAYOUT_PASSES
#define DRUMLIN_TRANSFORMS_LAYOUT_PASSES

include "mlir/Pass/PassBase.td"

def AssignLayoutsPass : Pass<"assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "every value gets the order in which it lies in memory";
  let description = [{
    before: kernels, reshapes and control flow, all values as the program has them
    ==>
    after: the same with `layouts` on what makes values that lie otherwise, `plan.layout` on arguments and results of the
           function, and a `plan.copy` wherever a kernel or the caller needs another order than the value has

    requires: all heroes in kernels. guarantees: every kernel reads its inputs in an order that it can read.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
}

def NormalizeLayoutsPass : Pass<"normalize-layouts", "::mlir::func::FuncOp"> {
  let summary = "types become the shapes in memory, and reshapes between kernels free bitcasts";
  let description = [{
    before: values with `layouts`, `stablehlo.reshape` outside kernels
    ==>
    after: every value outside kernels row-major in its own type; kernels transpose what they read and write inside; a
           reshape is a `plan.bitcast`, after a kernel that transposes where the bytes don't stay in place

    guarantees: no reshape and no `layouts` outside kernels.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
}

#endif // DRUMLIN_TRANSFORMS_LAYOUT_PASSES
