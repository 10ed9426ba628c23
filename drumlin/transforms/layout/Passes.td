#ifndef DRUMLIN_TRANSFORMS_LAYOUT_PASSES
#define DRUMLIN_TRANSFORMS_LAYOUT_PASSES

include "mlir/Pass/PassBase.td"

def AssignLayoutsPass : Pass<"assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "every value gets its dimension order in memory";
  let description = [{
    before: kernels, reshapes and control flow, all values row-major
    ==>
    after: the same with `layouts` on operations whose results have other orders, `plan.layout` on arguments and results
           of the function, and a `plan.copy` wherever a kernel or the caller needs another order than the value has

    The cost of a GEMM in each order is the predicted time of its cheapest schedule.

    requires: all heroes in kernels. guarantees: every kernel reads its inputs in an order that it can read.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
  let options = [
    Option<"targetName", "target", "std::string", /*default=*/"\"avx512\"", "the target, spelled as on the command line">];
}

def NormalizeLayoutsPass : Pass<"normalize-layouts", "::mlir::func::FuncOp"> {
  let summary = "types get the shapes that values have in memory, and reshapes between kernels become free bitcasts";
  let description = [{
    before: values with `layouts`, `stablehlo.reshape` outside kernels
    ==>
    after: every value outside kernels is row-major in its own type; kernels transpose inside what they read and write;
           a reshape is a `plan.bitcast`, after a kernel that transposes if the bytes don't stay in place

    guarantees: no reshape and no `layouts` outside kernels.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
}

def MergeDimensionsPass : Pass<"merge-dimensions", "::mlir::func::FuncOp"> {
  let summary = "neighbouring dimensions that a loop kernel treats as one become one";
  let description = [{
    before: a `plan.loop` over `tensor<32x128x28x28xf32>` in which the last two dimensions are always used together:
            both broadcast, or both reduced
    ==>
    after: the same over `tensor<32x128x784xf32>`, between bitcasts

    requires: types are shapes in memory.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
}

def BlockLayoutsPass : Pass<"block-layouts", "::mlir::func::FuncOp"> {
  let summary = "static operands of GEMMs are laid out in panels";
  let description = [{
    before: a weight, a static argument or a constant that only GEMMs read: `tensor<512x48xf32>`
    ==>
    after: `tensor<3x512x16xf32>`, panels of as many columns as a register has accumulators, with `plan.layout` for the
           argument's layout; each GEMM reads it through a transpose and a reshape. Only if all of its GEMMs are
           predicted to take less time with it.

    requires: types are shapes in memory. guarantees: a schedule of each of these GEMMs reads the panels in place.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
  let options = [
    Option<"targetName", "target", "std::string", /*default=*/"\"native\"", "the CPU, spelled as on the command line">];
}

def ForceKernelsPass : Pass<"force-kernels", "::mlir::ModuleOp"> {
  let summary = "dots and convolutions get the kernels that the user names";
  let description = [{
    before: `plan.gemm`
    ==>
    after: `plan.gemm` with `plan.force_kernel = "packed"`, if a choice such as `dot@*mlp*=packed` matches its dot; the
           last matching choice applies

    requires: all heroes in kernels. Fails if a choice is not of the form `OPERATION=KERNEL`, if the target has no such
    kernel, or if no operation matches.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
  let options = [
    ListOption<"choices", "choices", "std::string", "operations and their kernels, e.g. `dot@*mlp*=packed`">,
    Option<"targetName", "target", "std::string", /*default=*/"\"avx512\"", "the target that has these kernels">
  ];
}

#endif // DRUMLIN_TRANSFORMS_LAYOUT_PASSES
