#ifndef DRUMLIN_TRANSFORMS_BUFFERS_PASSES
#define DRUMLIN_TRANSFORMS_BUFFERS_PASSES

include "mlir/Pass/PassBase.td"

def AssignBuffersPass : Pass<"assign-buffers", "::mlir::func::FuncOp"> {
  let summary = "every value gets its memory: an argument, a result, a weight, or an interval of one arena";
  let description = [{
    before: launches, bitcasts, copies and control flow on values
    ==>
    after: the same with `buffers` on each operation that makes values, and copies where a value must lie elsewhere

    requires: kernels are outlined. guarantees: values that are live together don't overlap, but for
    a result that its kernel may write over an input; every result of the program
    is in its own buffer, and until it is begun other values may lie there; the arena's size is on the function as `plan.arena_bytes`.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
}

#endif // DRUMLIN_TRANSFORMS_BUFFERS_PASSES
