#ifndef DRUMLIN_TRANSFORMS_SIMPLIFY_PASSES
#define DRUMLIN_TRANSFORMS_SIMPLIFY_PASSES

include "mlir/Pass/PassBase.td"

def InlineCallsPass : Pass<"inline-calls", "::mlir::ModuleOp"> {
  let summary = "calls are replaced by the bodies of the functions that they name";
  let description = [{
    before: `func.call @f(...)`
    ==>
    after: the operations of @f

    requires: nothing. guarantees: no calls under @main, and no other functions; an error for recursion.
  }];
}

def SimplifyShapesPass : Pass<"simplify-shapes", "::mlir::func::FuncOp"> {
  let summary = "shape operations that change nothing go, chains of them become one";
  let description = [{
    before: reshapes of reshapes, transposes of transposes, operations that give their operand back
    ==>
    after: one operation, or none

    requires: nothing. guarantees: nothing that is costlier in operations or bytes.
  }];
}

#endif // DRUMLIN_TRANSFORMS_SIMPLIFY_PASSES
