#ifndef DRUMLIN_TRANSFORMS_SELECT_PASSES
#define DRUMLIN_TRANSFORMS_SELECT_PASSES

include "mlir/Pass/PassBase.td"

def SelectSchedulesPass : Pass<"select-schedules", "::mlir::func::FuncOp"> {
  let summary = "how each kernel runs becomes an attribute of it";
  let description = [{
    before: `plan.gemm`, `plan.loop`, …
    ==>
    after: `plan.gemm` with `plan.schedule = #plan.gemm<packed, unit = fma, tile = [256, 512, 512], …>`,
    `plan.loop` with `plan.schedule = #plan.loop<[rows, tile = 64]>`, …

    A product's schedule is the cost model's, a function of the kernel's region and the target; or of the algorithm that the
    user has named. Those of other kernels follow from rules about their shapes. A kernel that has one keeps it.

    requires: kernels are formed, and types are shapes in memory. guarantees: every kernel has a schedule.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
  let options = [
    Option<"targetName", "target", "std::string", /*default=*/"\"native\"", "the CPU, as the command line names it">];
}

def ContractProductsPass : Pass<"contract-products", "::mlir::func::FuncOp"> {
  let summary = "products that kernels add become fused multiply-adds";
  let description = [{
    before: `%1 = multiply %a, %b`, `%2 = add %1, %c` in a kernel
    ==>
    after: the same, and `plan.fma = 0` on the addition: its operand 0 isn't rounded

    Where `--numerics` has `contract`, and nothing else needs the product. Not for a program whose products must be
    rounded: one whose results are compared bit for bit, say.

    requires: kernels are formed. guarantees: nothing.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
  let options = [
    Option<"targetName", "target", "std::string", /*default=*/"\"native\"", "the CPU, as the command line names it">];
}

def SelectLibraryCallsPass : Pass<"select-library-calls", "::mlir::func::FuncOp"> {
  let summary = "products of a GPU's plan become calls of its library";
  let description = [{
    before: `plan.gemm(%a = %x, %b = %y) { dot, epilogue }`
    ==>
    after: `plan.library_call(%a = %x, %b = %y)` with `call = {function = "cublasLtMatmul", A = {…}, …}`, around the same
    region; or `plan.gemm` with `plan.own_kernel = {reason = "alignment", …}`

    Not for CPUs and tensor engines: these have no libraries.

    requires: kernels are formed, and types are shapes in memory. guarantees: every call is one that the tables of the
    library allow.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
  let options = [
    Option<"targetName", "target", "std::string", /*default=*/"\"sm_90\"", "the GPU, as the command line names it">];
}

#endif // DRUMLIN_TRANSFORMS_SELECT_PASSES
