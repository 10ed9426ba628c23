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

def LimitEffortPass : Pass<"limit-effort", "::mlir::ModuleOp"> {
  let summary = "kernels whose code loses little of the predicted time that way get code that is made quickly";
  let description = [{
    before: `plan.kernel @loop_0`, `plan.kernel @gemm_0`
    ==>
    after: `plan.kernel @loop_0` with `plan.effort = "quick"`, `plan.kernel @gemm_0` with `plan.effort = "lean"`

    Kernels are taken from the one on that loses the least time for the code that it is, as long as all of them together
    add no more than `share` to the program's predicted time, or no more than `seconds`: these are `quick`, others `lean`, or, with
    `keep-others`, as they are but for sorts and Fourier transforms that lose no more than `seconds` by `lean`. Loops lose, straight code and routines
    that are compiled already don't.

    requires: kernels are symbols. guarantees: every kernel's key is that of its attributes.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
  let options = [
    Option<"targetName", "target", "std::string", /*default=*/"\"native\"", "the CPU, as the command line names it">,
    Option<"share", "share", "double", /*default=*/"0.02", "of the predicted time that quick code may add to it">,
    Option<"seconds", "seconds", "double", /*default=*/"0", "that quick code may add in any case">,
    Option<"keepsOthers", "keep-others", "bool", /*default=*/"false", "the code of other kernels is made with full effort">];
}

#endif // DRUMLIN_TRANSFORMS_SCHEDULE_PASSES
