#ifndef DRUMLIN_TRANSFORMS_ENTRY_PASSES
#define DRUMLIN_TRANSFORMS_ENTRY_PASSES

include "mlir/Pass/PassBase.td"

def MarkStaticPass : Pass<"mark-static", "::mlir::ModuleOp"> {
  let summary = "arguments that are the same at every call are marked";
  let description = [{
    before: an argument, one with `drumlin.static = true`, one with `drumlin.static = false`
    ==>
    after: the arguments that the user names and those of which the program says so have `drumlin.static`, no other one

    requires: an entry. Fails where the program has no argument of a number or name, says neither true nor false, or gives the
    argument's memory to a result.
  }];
  let options = [ListOption<"arguments", "arguments", "std::string", "arguments by number, range, name or pattern">];
}

def BindWeightsPass : Pass<"bind-weights", "::mlir::ModuleOp"> {
  let summary = "arguments become weights that the arrays of a file belong to";
  let description = [{
    before: `func.func @main(%w: tensor<4xf32> loc("w"), %x: tensor<4xf32>)`
    ==>
    after: `func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>) attributes {plan.weights = ["w"]}` with a file that has
           an array `w`: weights are the last arguments, in the order of the program

    requires: an entry. Fails where an array belongs to no argument, has another type or shape than its argument, or its
    argument gives its memory to a result. A program that has weights already keeps them, and needs the array of each.
    With `in-place` the function gets `plan.weights_in_place` besides: its weights are fixed as they lie in the file.
  }];
  let options = [
    Option<"file", "file", "std::string", /*default=*/"", "a .npz or .safetensors file">,
    Option<"inPlace", "in-place", "bool", /*default=*/"false", "the arrays are used where they lie in the file">
  ];
}

#endif // DRUMLIN_TRANSFORMS_ENTRY_PASSES
