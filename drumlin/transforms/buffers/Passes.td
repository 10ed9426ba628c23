#ifndef DRUMLIN_TRANSFORMS_BUFFERS_PASSES
#define DRUMLIN_TRANSFORMS_BUFFERS_PASSES

include "mlir/Pass/PassBase.td"

def AssignBuffersPass : Pass<"assign-buffers", "::mlir::func::FuncOp"> {
  let summary = "every value gets its memory: that of an argument, a result or a weight, or an interval of one arena";
  let description = [{
    before: launches, bitcasts, copies and control flow on values
    ==>
    after: the same with `buffers` on each operation that computes values, and copies if a value must be in other memory

    requires: kernels are outlined. guarantees: values that are live together don't overlap, except for a result that
    its kernel may write over an input; every result of the program is in its own buffer, which may hold other values
    before; the arena's size is on the function as `plan.arena_bytes`.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
}

#endif // DRUMLIN_TRANSFORMS_BUFFERS_PASSES
