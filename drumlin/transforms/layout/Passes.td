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

    What a product takes in each order is what its cheapest schedule is predicted to take.

    requires: all heroes in kernels. guarantees: every kernel reads its inputs in an order that it can read.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
  let options = [
    Option<"targetName", "target", "std::string", /*default=*/"\"avx512\"", "the target, as the command line names it">];
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

def MergeDimensionsPass : Pass<"merge-dimensions", "::mlir::func::FuncOp"> {
  let summary = "neighbouring dimensions that a loop kernel treats as one become one";
  let description = [{
    before: a `plan.loop` over `tensor<32x128x28x28xf32>` in which the last two dimensions always go together: broadcast to
            both, reduced both
    ==>
    after: the same over `tensor<32x128x784xf32>`, between bitcasts

    requires: types are shapes in memory.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
}

def BlockLayoutsPass : Pass<"block-layouts", "::mlir::func::FuncOp"> {
  let summary = "static operands of products are laid out in panels";
  let description = [{
    before: a weight, a static argument or a constant that nothing but products read: `tensor<512x48xf32>`
    ==>
    after: `tensor<3x512x16xf32>`, panels of as many columns as a register has sums, with `plan.layout` saying how the
           argument lies; each product reads it through a transpose and a reshape. Where all of its products are predicted to
           take less time so.

    requires: types are shapes in memory. guarantees: a schedule of each of these products reads the panels as they lie.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
  let options = [
    Option<"targetName", "target", "std::string", /*default=*/"\"native\"", "the CPU, as the command line names it">];
}

def ForceKernelsPass : Pass<"force-kernels", "::mlir::ModuleOp"> {
  let summary = "dots and convolutions get the kernels that the user names";
  let description = [{
    before: `plan.gemm`
    ==>
    after: `plan.gemm` with `plan.force_kernel = "packed"`, where a choice such as `dot@*mlp*=packed` is about its dot; the
           last choice that matches holds

    requires: all heroes in kernels. Fails where a choice is no `OPERATION=KERNEL`, the target has no such kernel, or no
    operation matches.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
  let options = [
    ListOption<"choices", "choices", "std::string", "operations and their kernels, as `dot@*mlp*=packed`">,
    Option<"targetName", "target", "std::string", /*default=*/"\"avx512\"", "whose kernels they are">
  ];
}

#endif // DRUMLIN_TRANSFORMS_LAYOUT_PASSES
