#ifndef DRUMLIN_TRANSFORMS_ENTRY_PASSES
#define DRUMLIN_TRANSFORMS_ENTRY_PASSES

include "mlir/Pass/PassBase.td"

def MarkStaticPass : Pass<"mark-static", "::mlir::ModuleOp"> {
  let summary = "arguments that are the same at every call are marked";
  let description = [{
    before: an argument, one with `drumlin.static = true`, one with `drumlin.static = false`
    ==>
    after: exactly the arguments that the user or the program marks as static have `drumlin.static`

    requires: an entry. Fails if the program has no argument of a number or name, if its attribute is neither true nor
    false, or if a static argument is donated to a result.
  }];
  let options = [ListOption<"arguments", "arguments", "std::string", "arguments by number, range, name or pattern">];
}

def BindWeightsPass : Pass<"bind-weights", "::mlir::ModuleOp"> {
  let summary = "arguments that match arrays of a file become weights";
  let description = [{
    before: `func.func @main(%w: tensor<4xf32> loc("w"), %x: tensor<4xf32>)`
    ==>
    after: `func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>) attributes {plan.weights = ["w"]}` with a file that has
           an array `w`: weights are the last arguments, in the order of the program

    requires: an entry. Fails if an array matches no argument or has another type or shape than its argument, or if its
    argument is donated to a result. A program that already has weights keeps them, and needs an array for each. With
    `in-place` the function also gets `plan.weights_in_place`: its weights keep their layout in the file.
  }];
  let options = [
    Option<"file", "file", "std::string", /*default=*/"", "a .npz or .safetensors file">,
    Option<"inPlace", "in-place", "bool", /*default=*/"false", "the arrays are used in place in the file">
  ];
}

#endif // DRUMLIN_TRANSFORMS_ENTRY_PASSES
