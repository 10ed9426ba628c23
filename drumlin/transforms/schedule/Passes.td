#ifndef DRUMLIN_TRANSFORMS_SCHEDULE_PASSES
#define DRUMLIN_TRANSFORMS_SCHEDULE_PASSES

include "mlir/Pass/PassBase.td"

def DropBarriersPass : Pass<"drop-barriers", "::mlir::func::FuncOp"> {
  let summary = "optimization barriers are replaced by their operands";
  let description = [{
    before: `optimization_barrier` between kernels
    ==>
    after: the kernels alone

    requires: no later pass fuses kernels. guarantees: no `optimization_barrier` outside kernels.
  }];
}

def OutlineKernelsPass : Pass<"outline-kernels", "::mlir::ModuleOp"> {
  let summary = "each distinct kernel becomes a plan.kernel symbol, and launches name it";
  let description = [{
    before: kernel-forming operations
    ==>
    after: `plan.kernel` symbols, one for each distinct structure, and `plan.launch`

    requires: every operation of the program is in a kernel, or free, or control flow. guarantees: no kernel-forming
    operations are left; equal kernels are one symbol.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
}

def LimitEffortPass : Pass<"limit-effort", "::mlir::ModuleOp"> {
  let summary = "kernels are compiled quickly if that adds little to the predicted time";
  let description = [{
    before: `plan.kernel @loop_0`, `plan.kernel @gemm_0`
    ==>
    after: `plan.kernel @loop_0` with `plan.effort = "quick"`, `plan.kernel @gemm_0` with `plan.effort = "lean"`

    Compiling quickly makes loops slower, but not straight-line code and precompiled routines. Kernels become `quick` in
    order of the time that this adds per code size, as long as all of them together add at most `share` of the program's
    predicted time, or at most `seconds`. Other kernels become `lean`. With `keep-others`, they keep full effort, except
    sorts and Fourier transforms to which `lean` adds at most `seconds`.

    requires: kernels are symbols. guarantees: every kernel's key matches its attributes.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
  let options = [
    Option<"targetName", "target", "std::string", /*default=*/"\"native\"", "the CPU, spelled as on the command line">,
    Option<"share", "share", "double", /*default=*/"0.02", "share of the predicted time that quickly compiled code may add">,
    Option<"seconds", "seconds", "double", /*default=*/"0", "seconds that quickly compiled code may add in any case">,
    Option<"keepsOthers", "keep-others", "bool", /*default=*/"false", "other kernels are compiled with full effort">];
}

#endif // DRUMLIN_TRANSFORMS_SCHEDULE_PASSES
