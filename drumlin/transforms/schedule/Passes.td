#ifndef DRUMLIN_TRANSFORMS_SCHEDULE_PASSES
#define DRUMLIN_TRANSFORMS_SCHEDULE_PASSES

include "mlir/Pass/PassBase.td"

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
