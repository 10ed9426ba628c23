#ifndef DRUMLIN_TRANSFORMS_SIMPLIFY_PASSES
#define DRUMLIN_TRANSFORMS_SIMPLIFY_PASSES

include "mlir/Pass/PassBase.td"

def InlineCallsPass : Pass<"inline-calls", "::mlir::ModuleOp"> {
  let summary = "calls are replaced by the bodies of the functions that they name";
  let description = [{
    before: `func.call @f(...)`, composites
    ==>
    after: the operations of @f; of a composite that an operation has the name of, that one

    requires: nothing. guarantees: no calls under @main, and no other functions; an error for recursion.
  }];
  let dependentDialects = ["::drumlin::chlo::ChloDialect", "::drumlin::stablehlo::StablehloDialect"];
}

def FenceGroupsPass : Pass<"fence-groups", "::mlir::func::FuncOp"> {
  let summary = "barriers keep operations apart that frameworks say shouldn't be joined, and groups in their order";
  let description = [{
    before: operations with `mhlo.frontend_attributes = {FUSE_LIMIT = "true"}` or `{scheduling_group = "name"}`
    ==>
    after: an `optimization_barrier` on each value between one that has the limit and one that hasn't; before a group's
    operations one on what they need and what the group before it computes

    requires: no calls. guarantees: nothing; it runs before any pass that joins operations or loses such attributes.
  }];
  let dependentDialects = ["::drumlin::stablehlo::StablehloDialect"];
}

def LowerQuantizedPass : Pass<"lower-quantized", "::mlir::func::FuncOp"> {
  let summary = "quantized elements become the integers that they are stored as";
  let description = [{
    before: operations on tensors of `!quant.uniform<…>`; `uniform_quantize`, `uniform_dequantize`
    ==>
    after: moves of integers; formulas that make integers of the numbers that they express, around operations on those; dots and
    convolutions of integers where they give the same bits; arguments and results of the function are the integers, and
    `plan.quantized` says of which type they were

    requires: no calls. guarantees: no value has quantized elements.
  }];
  let dependentDialects = ["::drumlin::stablehlo::StablehloDialect"];
}

def DecomposeOperationsPass : Pass<"decompose-operations", "::mlir::func::FuncOp"> {
  let summary = "operations that are others by definition become those";
  let description = [{
    before: CHLO's `chlo.square`, `chlo.broadcast_add`, `chlo.scan`, `chlo.ragged_dot` …; of older programs `dot`,
    `broadcast`, `einsum`, `torch_index_select`; `map`; `batch_norm_training` and its like; `rng_bit_generator` and `rng`;
    parts of tuples; collectives; `reduce`, `reduce_window`, `scatter`, `select_and_scatter` and `sort` whose functions no kernel
    applies, because they have loops or tensors of their own; reductions and windows of several operands, of which some results
    come from their own operands alone
    ==>
    after: the operations that the specification or the operation's definition composes them of, with explicit broadcasts; of
    collectives `plan.host_call exchange`, which brings a process what it needs of the others, and what it computes of that;
    operations on shapes that only the run tells, and functions with a kernel of their own stay

    requires: nothing. guarantees: nothing.
  }];
  let dependentDialects = ["::drumlin::chlo::ChloDialect", "::drumlin::plan::PlanDialect",
    "::drumlin::stablehlo::StablehloDialect"];
  let options = [Option<"chloOnly", "chlo-only", "bool", /*default=*/"false", "StableHLO's operations stay">];
}

def FormHostCallsPass : Pass<"form-host-calls", "::mlir::func::FuncOp"> {
  let summary = "calls of code outside of the program become `plan.host_call`, and tokens go";
  let description = [{
    before: `custom_call`; `infeed`, `outfeed`, and `send` and `recv` of the host; tokens
    ==>
    after: `plan.host_call`, with transposes where the code takes or gives another order than row-major; no tokens, as calls
    with side effects keep the program's order

    requires: nothing. guarantees: nothing.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect", "::drumlin::stablehlo::StablehloDialect"];
}

def SplitComplexPass : Pass<"split-complex", "::mlir::func::FuncOp"> {
  let summary = "complex numbers become pairs of real ones";
  let description = [{
    before: operations on tensors of complex numbers
    ==>
    after: the same on tensors of their real and of their imaginary parts; arguments and results of the function have
    the parts as one more dimension, the last, and the attribute `plan.complex`; fft, cholesky, triangular_solve and
    calls stay, between `complex` and `real`, `imag`

    requires: nothing. guarantees: nothing.
  }];
  let dependentDialects = ["::drumlin::chlo::ChloDialect", "::drumlin::stablehlo::StablehloDialect"];
}

def SplitBitcastsPass : Pass<"split-bitcasts", "::mlir::func::FuncOp"> {
  let summary = "casts of bits to elements of another width become shifts";
  let description = [{
    before: `bitcast_convert` between elements of different widths
    ==>
    after: shifts of unsigned words, whose parts are cut out or joined by `or`

    requires: complex numbers are split. guarantees: nothing.
  }];
  let dependentDialects = ["::drumlin::stablehlo::StablehloDialect"];
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

def SimplifyBranchesPass : Pass<"simplify-branches", "::mlir::func::FuncOp"> {
  let summary = "branches that a constant chooses take their operation's place";
  let description = [{
    before: an `if` or `case` of a constant
    ==>
    after: the operations of the branch

    requires: nothing. guarantees: nothing.
  }];
}

def SimplifyDynamicsPass : Pass<"simplify-dynamics", "::mlir::func::FuncOp"> {
  let summary = "operations whose sizes are values become those that say their sizes";
  let description = [{
    before: `dynamic_reshape`, `dynamic_broadcast_in_dim`, `dynamic_iota`, `dynamic_pad`, `dynamic_gather`, `dynamic_conv`,
    `real_dynamic_slice` of known sizes; `get_dimension_size` of a known size
    ==>
    after: `reshape`, `broadcast_in_dim`, `iota`, `pad`, `gather`, `convolution`, `slice`; a constant

    requires: nothing. guarantees: nothing.
  }];
}

def NameSizesPass : Pass<"name-sizes", "::mlir::ModuleOp"> {
  let summary = "values that a program's functions call by the name of a size are marked";
  let description = [{
    before: `call @f(%0)`, where `@f` has `jax.global_constant = "b"` on its argument
    ==>
    after: the operation that makes `%0` in the entry has `plan.size_name = "b"`

    requires: nothing. guarantees: nothing.
  }];
}

def ResolveSizesPass : Pass<"resolve-sizes", "::mlir::ModuleOp"> {
  let summary = "sizes that are known when the program runs become expressions over the sizes of its arguments";
  let description = [{
    before: types with `?`, arithmetic on sizes, `dynamic_reshape` and its like, assertions on sizes
    ==>
    after: types of nominal sizes with `sizes.of`, operations that say their sizes; the function has the symbols and
    what holds of them (docs/dynamic-shapes.md); `dynamic_reduce_window` has the function that it calls as its body

    requires: no calls. guarantees: no dimension is `?`, no function but the entry; an error where a size
    depends on elements and has no bound. One that has is a value beside an array of the bound's size.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect", "::drumlin::sizes::SizesDialect", "::drumlin::stablehlo::StablehloDialect"];
  let options = [ListOption<"sizes", "sizes", "std::string", "`NAME=SIZE`: what to choose costs and schedules for">];
}

def SimplifyElementwisePass : Pass<"simplify-elementwise", "::mlir::func::FuncOp"> {
  let summary = "elementwise operations that give an operand back go";
  let description = [{
    before: sums with zero, products with one, what is negated twice, conversions to a wider type and back, selections by a
    constant …
    ==>
    after: the operand

    requires: nothing. guarantees: nothing that is costlier in operations or bytes. Numbers stay as they are, bit for
    bit, but for a NaN's.
  }];
}

def SimplifySlicesPass : Pass<"simplify-slices", "::mlir::func::FuncOp"> {
  let summary = "slices, concatenations, padding and reversals that move nothing go, chains of them become one";
  let description = [{
    before: slices of slices, of all, or of one input of a concatenation; dynamic slices with constant starts; concatenations of
    one input, or with inputs without elements
    ==>
    after: one slice or concatenation, or none

    requires: nothing. guarantees: nothing that is costlier in operations or bytes.
  }];
}

def SimplifyDotsPass : Pass<"simplify-dots", "::mlir::func::FuncOp"> {
  let summary = "transposes around dots go into their dimension numbers, and the rounding of mixed fp8 operands is written out";
  let description = [{
    before: a transpose of a dot that swaps its operands' dimensions; a dot of fp8 operands whose type isn't the result's
    ==>
    after: the dot with its operands swapped; the dot of operands converted to the result's type

    requires: nothing. guarantees: nothing.
  }];
}

def AutoCastPass : Pass<"auto-cast", "::mlir::func::FuncOp"> {
  let summary = "f32 operands that the user allows to be rounded are converted to a narrower type";
  let description = [{
    before: dots and convolutions of f32; with `all`, elementwise operations of f32
    ==>
    after: products of operands converted to the type, with results of f32; elementwise operations of the type between
    conversions

    requires: no calls. guarantees: nothing.
  }];
  let options = [Option<"modeName", "mode", "std::string", /*default=*/"\"matmult\"", "none, matmult or all">,
                 Option<"typeName", "type", "std::string", /*default=*/"\"bf16\"", "bf16, fp16, tf32 or fp8_e4m3">,
                 Option<"marksRoundings", "mark-roundings", "bool", /*default=*/"false", "each rounding says of what it is one">];
}

def FoldConstantsPass : Pass<"fold-constants", "::mlir::func::FuncOp"> {
  let summary = "operations on constants are evaluated, within a budget";
  let description = [{
    before: operations whose operands are all constants
    ==>
    after: constants, where they have few elements

    requires: nothing. guarantees: nothing. Results larger than the budget stay operations: reading a table from memory
    costs more than most computations.
  }];
}

def MarkPrefixScansPass : Pass<"mark-prefix-scans", "::mlir::func::FuncOp"> {
  let summary = "windows that begin before all elements become prefix scans, and those of any body are marked";
  let description = [{
    before: reduce_window of 5 elements over `pad(x)` of a `tensor<5xf32>`, low = [4]
    ==>
    after: reduce_window of 5 elements over x, padding = [[4, 0]]: all elements up to each

    The initial value, which counts for nothing, may stand before and behind the elements by padding, in a concatenation,
    and under slices, reversals, transposes, broadcasts and reshapes of these.

    before: reduce_window over all elements up to each, from the first on, by a body that gives the initial value for it and itself
    ==>
    after: the same with `plan.prefix_scan`: what combines all elements up to one, combined with the next, is what
    combines all elements up to that

    requires: nothing. guarantees: nothing.
  }];
}

def SimplifyWhilesPass : Pass<"simplify-whiles", "::mlir::func::FuncOp"> {
  let summary = "values that a loop carries unchanged are carried no longer";
  let description = [{
    before: a `while` whose body gives a carried value back as it is
    ==>
    after: the `while` without it; readers use the value from outside

    requires: nothing. guarantees: nothing. A carried value costs a copy into the loop's memory.
  }];
}

def UnrollWhilesPass : Pass<"unroll-whiles", "::mlir::func::FuncOp"> {
  let summary = "short loops of elementwise operations become their iterations";
  let description = [{
    before: a `while` of up to 16 iterations, known in number, with a body of elementwise operations and moves
    ==>
    after: the body's operations as often as they run, if together they are at most 512

    requires: nothing. guarantees: nothing. What a loop carries passes through memory in each iteration; its iterations, one
    behind another, are one kernel.
  }];
}

def CsePass : Pass<"cse", "::mlir::func::FuncOp"> {
  let summary = "an operation that stands twice is computed once";
  let description = [{
    before: two operations without effects that do the same with the same operands
    ==>
    after: one of them

    requires: nothing. guarantees: nothing. What the operations have in their regions is compared too, and has been simplified
    itself.
  }];
}

#endif // DRUMLIN_TRANSFORMS_SIMPLIFY_PASSES
