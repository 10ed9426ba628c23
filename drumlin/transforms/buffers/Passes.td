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

def GroupLaunchesPass : Pass<"group-launches", "::mlir::ModuleOp"> {
  let summary = "launches that don't use each other's results or memory run side by side";
  let description = [{
    before: `launch @a(%x)`; `launch @b(%0)`, which reads its result; `launch @c(%x)`
    ==>
    after: `launch @a(%x)`; `launch @c(%x) {beside}`; `launch @b(%0)`

    A kernel of few work items then leaves no thread idle. A launch moves up to launches that it can run beside if it
    doesn't depend on those in between. Applies to launches that are predicted to take at least 2 us and have no sizes
    told at run time. Results and memory stay the same.

    requires: values have buffers. guarantees: the memory contract holds.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
  let options = [
    Option<"targetName", "target", "std::string", /*default=*/"\"native\"", "the CPU, spelled as on the command line">];
}

#endif // DRUMLIN_TRANSFORMS_BUFFERS_PASSES
