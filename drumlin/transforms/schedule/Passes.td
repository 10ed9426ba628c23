#ifndef DRUMLIN_TRANSFORMS_SCHEDULE_PASSES
#define DRUMLIN_TRANSFORMS_SCHEDULE_PASSES

include "mlir/Pass/PassBase.td"

def DropBarriersPass : Pass<"drop-barriers", "::mlir::func::FuncOp"> {
  let summary = "values behind an optimization_barrier are those before it";
  let description = [{
    before: `optimization_barrier` between kernels
    ==>
    after: the kernels alone

    requires: that nothing joins kernels any more. guarantees: no `optimization_barrier` outside kernels.
  }];
}

def OutlineKernelsPass : Pass<"outline-kernels", "::mlir::ModuleOp"> {
  let summary = "each distinct kernel becomes a plan.kernel symbol, and launches name it";
  let description = [{
    before: kernel-forming operations
    ==>
    after: `plan.kernel` symbols, one for each distinct structure, and `plan.launch`

    requires: every operation of the program is in a kernel, or free, or control flow. guarantees: no kernel-forming
    operation; equal kernels are one symbol.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
}

#endif // DRUMLIN_TRANSFORMS_SCHEDULE_PASSES
