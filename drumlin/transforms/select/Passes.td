#ifndef DRUMLIN_TRANSFORMS_SELECT_PASSES
#define DRUMLIN_TRANSFORMS_SELECT_PASSES

include "mlir/Pass/PassBase.td"

def SelectSchedulesPass : Pass<"select-schedules", "::mlir::func::FuncOp"> {
  let summary = "each kernel gets its schedule as an attribute";
  let description = [{
    before: `plan.gemm`, `plan.loop`, …
    ==>
    after: `plan.gemm` with `plan.schedule = #plan.gemm<packed, unit = fma, tile = [256, 512, 512], …>`,
    `plan.loop` with `plan.schedule = #plan.loop<[rows, tile = 64]>`, …

    A GEMM's schedule is the cost model's, a function of the kernel's region and the target; or one of the algorithm
    that the user forced. Other kernels' schedules follow from rules about their shapes. A kernel keeps a schedule that
    it already has.

    requires: kernels are formed, and types are shapes in memory. guarantees: every kernel has a schedule.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
  let options = [
    Option<"targetName", "target", "std::string", /*default=*/"\"native\"", "the CPU, spelled as on the command line">];
}

def ContractProductsPass : Pass<"contract-products", "::mlir::func::FuncOp"> {
  let summary = "multiplications followed by additions become fused multiply-adds";
  let description = [{
    before: `%1 = multiply %a, %b`, `%2 = add %1, %c` in a kernel
    ==>
    after: the same, and `plan.fma = 0` on the addition: its operand 0 isn't rounded

    Applies if `--numerics` allows `contract` and the product has no other users. Not for programs whose products must
    be rounded, e.g. if results are compared bit for bit.

    requires: kernels are formed. guarantees: nothing.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
  let options = [
    Option<"targetName", "target", "std::string", /*default=*/"\"native\"", "the CPU, spelled as on the command line">];
}

def SelectLibraryCallsPass : Pass<"select-library-calls", "::mlir::func::FuncOp"> {
  let summary = "GEMMs of a GPU's plan become calls of its library";
  let description = [{
    before: `plan.gemm(%a = %x, %b = %y) { dot, epilogue }`
    ==>
    after: `plan.library_call(%a = %x, %b = %y)` with `call = {function = "cublasLtMatmul", A = {…}, …}`, around the same
    region; or `plan.gemm` with `plan.own_kernel = {reason = "alignment", …}`

    Not for CPUs and tensor engines: these have no libraries.

    requires: kernels are formed, and types are shapes in memory. guarantees: every call is allowed by the tables of the
    library.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
  let options = [
    Option<"targetName", "target", "std::string", /*default=*/"\"sm_90\"", "the GPU, spelled as on the command line">];
}

#endif // DRUMLIN_TRANSFORMS_SELECT_PASSES
