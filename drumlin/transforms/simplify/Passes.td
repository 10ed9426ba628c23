#ifndef DRUMLIN_TRANSFORMS_SIMPLIFY_PASSES
#define DRUMLIN_TRANSFORMS_SIMPLIFY_PASSES

include "mlir/Pass/PassBase.td"

def InlineCallsPass : Pass<"inline-calls", "::mlir::ModuleOp"> {
  let summary = "calls are replaced by the bodies of the called functions";
  let description = [{
    before: `func.call @f(...)`, composites
    ==>
    after: the operations of @f; for a composite with the name of an operation, that operation

    requires: nothing. guarantees: no calls in @main, and no other functions; an error for recursion.
  }];
  let dependentDialects = ["::drumlin::chlo::ChloDialect", "::drumlin::stablehlo::StablehloDialect"];
}

def FenceGroupsPass : Pass<"fence-groups", "::mlir::func::FuncOp"> {
  let summary = "barriers separate operations that frameworks don't want fused, and keep groups in order";
  let description = [{
    before: operations with `mhlo.frontend_attributes = {FUSE_LIMIT = "true"}` or `{scheduling_group = "name"}`
    ==>
    after: an `optimization_barrier` on each value between an operation with the limit and one without; before a group's
    operations, one on their operands and on the results of the previous group

    requires: no calls. guarantees: nothing; it runs before all passes that fuse operations or lose such attributes.
  }];
  let dependentDialects = ["::drumlin::stablehlo::StablehloDialect"];
}

def LowerQuantizedPass : Pass<"lower-quantized", "::mlir::func::FuncOp"> {
  let summary = "quantized elements become their stored integers";
  let description = [{
    before: operations on tensors of `!quant.uniform<…>`; `uniform_quantize`, `uniform_dequantize`
    ==>
    after: data movement of integers; arithmetic on the expressed numbers, with formulas that convert from and to
    integers; dots and convolutions of integers if they give the same bits; arguments and results of the function are
    the integers, and `plan.quantized` has their original types

    requires: no calls. guarantees: no value has quantized elements.
  }];
  let dependentDialects = ["::drumlin::stablehlo::StablehloDialect"];
}

def DecomposeOperationsPass : Pass<"decompose-operations", "::mlir::func::FuncOp"> {
  let summary = "operations defined by other operations are decomposed";
  let description = [{
    before: CHLO's `chlo.square`, `chlo.broadcast_add`, `chlo.scan`, `chlo.ragged_dot` …; from older programs `dot`,
    `broadcast`, `einsum`, `torch_index_select`; `map`; `batch_norm_training` and related; `rng_bit_generator` and
    `rng`; parts of tuples; collectives; `reduce`, `reduce_window`, `scatter`, `select_and_scatter` and `sort` whose
    functions no kernel can apply, because they contain loops or tensors; reductions and windows of several operands in
    which some results depend only on their own operands
    ==>
    after: the operations by which the specification or the operation's definition composes them, with explicit
    broadcasts; for collectives `plan.host_call exchange`, which gives a process the operands that it needs from others,
    and a local computation on them; operations of dynamic shapes, and functions with a kernel of their own, stay

    requires: nothing. guarantees: nothing.
  }];
  let dependentDialects = ["::drumlin::chlo::ChloDialect", "::drumlin::plan::PlanDialect",
    "::drumlin::stablehlo::StablehloDialect"];
  let options = [Option<"chloOnly", "chlo-only", "bool", /*default=*/"false", "keep StableHLO's operations">];
}

def FormHostCallsPass : Pass<"form-host-calls", "::mlir::func::FuncOp"> {
  let summary = "calls of code outside of the program become `plan.host_call`, and tokens are removed";
  let description = [{
    before: `custom_call`; `infeed`, `outfeed`, and `send` and `recv` of the host; tokens
    ==>
    after: `plan.host_call`, with transposes if the code uses another order than row-major; no tokens, since calls with
    side effects keep the program's order

    requires: nothing. guarantees: nothing.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect", "::drumlin::stablehlo::StablehloDialect"];
}

def SplitComplexPass : Pass<"split-complex", "::mlir::func::FuncOp"> {
  let summary = "complex numbers become pairs of real ones";
  let description = [{
    before: operations on tensors of complex numbers
    ==>
    after: the same on tensors of their real and of their imaginary parts; arguments and results of the function have an
    additional last dimension for the parts, and the attribute `plan.complex`; fft, cholesky, triangular_solve and calls
    stay, between `complex` and `real`, `imag`

    requires: nothing. guarantees: nothing.
  }];
  let dependentDialects = ["::drumlin::chlo::ChloDialect", "::drumlin::stablehlo::StablehloDialect"];
}

def SplitBitcastsPass : Pass<"split-bitcasts", "::mlir::func::FuncOp"> {
  let summary = "bitcasts between elements of different widths become shifts";
  let description = [{
    before: `bitcast_convert` between elements of different widths
    ==>
    after: shifts of unsigned words, whose parts are extracted or combined by `or`

    requires: complex numbers are split. guarantees: nothing.
  }];
  let dependentDialects = ["::drumlin::stablehlo::StablehloDialect"];
}

def SimplifyShapesPass : Pass<"simplify-shapes", "::mlir::func::FuncOp"> {
  let summary = "shape operations that change nothing are removed, chains of them become one";
  let description = [{
    before: reshapes of reshapes, transposes of transposes, operations that return their operand
    ==>
    after: one operation, or none

    requires: nothing. guarantees: nothing that is costlier in operations or bytes.
  }];
}

def SimplifyBranchesPass : Pass<"simplify-branches", "::mlir::func::FuncOp"> {
  let summary = "branches selected by a constant replace their operation";
  let description = [{
    before: an `if` or `case` of a constant
    ==>
    after: the operations of the branch

    requires: nothing. guarantees: nothing.
  }];
}

def SimplifyDynamicsPass : Pass<"simplify-dynamics", "::mlir::func::FuncOp"> {
  let summary = "dynamic operations whose sizes are constants become static";
  let description = [{
    before: `dynamic_reshape`, `dynamic_broadcast_in_dim`, `dynamic_iota`, `dynamic_pad`, `dynamic_gather`, `dynamic_conv`,
    `real_dynamic_slice` of known sizes; `get_dimension_size` of a known size
    ==>
    after: `reshape`, `broadcast_in_dim`, `iota`, `pad`, `gather`, `convolution`, `slice`; a constant

    requires: nothing. guarantees: nothing.
  }];
}

def NameSizesPass : Pass<"name-sizes", "::mlir::ModuleOp"> {
  let summary = "values that a program's functions name as sizes are marked";
  let description = [{
    before: `call @f(%0)`, where `@f` has `jax.global_constant = "b"` on its argument
    ==>
    after: the operation that computes `%0` in the entry has `plan.size_name = "b"`

    requires: nothing. guarantees: nothing.
  }];
}

def ResolveSizesPass : Pass<"resolve-sizes", "::mlir::ModuleOp"> {
  let summary = "sizes that are known only at run time become expressions over the sizes of its arguments";
  let description = [{
    before: types with `?`, arithmetic on sizes, `dynamic_reshape` and its like, assertions on sizes
    ==>
    after: types of nominal sizes with `sizes.of`, operations with sizes as attributes; the function has the symbols and
    their constraints (docs/dynamic-shapes.md); `dynamic_reduce_window` has the function that it calls as its body

    requires: no calls. guarantees: no dimension is `?`, and the entry is the only function; an error if a size depends
    on elements and has no bound. A dimension whose size has a bound gets the bound as its size, and the actual size
    becomes a separate value.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect", "::drumlin::sizes::SizesDialect", "::drumlin::stablehlo::StablehloDialect"];
  let options = [ListOption<"sizes", "sizes", "std::string", "`NAME=SIZE`: sizes for which costs and schedules are chosen">];
}

def SimplifyElementwisePass : Pass<"simplify-elementwise", "::mlir::func::FuncOp"> {
  let summary = "elementwise operations that return an operand are removed";
  let description = [{
    before: sums with zero, products with one, double negations, conversions to a wider type and back, selections by a
    constant …
    ==>
    after: the operand

    requires: nothing. guarantees: nothing that is costlier in operations or bytes. Results keep the same bits, except
    those of NaNs.
  }];
}

def SimplifySlicesPass : Pass<"simplify-slices", "::mlir::func::FuncOp"> {
  let summary = "slices, concatenations, padding and reversals that move nothing are removed, chains of them become one";
  let description = [{
    before: slices of slices, of whole values, or of one input of a concatenation; dynamic slices with constant starts;
    concatenations of one input, or with inputs without elements
    ==>
    after: one slice or concatenation, or none

    requires: nothing. guarantees: nothing that is costlier in operations or bytes.
  }];
}

def SimplifyDotsPass : Pass<"simplify-dots", "::mlir::func::FuncOp"> {
  let summary = "transposes around dots are folded into their dimension numbers, and the rounding of mixed fp8 operands is written out";
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
    after: dots and convolutions of operands converted to the type, with results of f32; elementwise operations of the
    type between conversions

    requires: no calls. guarantees: nothing.
  }];
  let options = [Option<"modeName", "mode", "std::string", /*default=*/"\"matmult\"", "none, matmult or all">,
                 Option<"typeName", "type", "std::string", /*default=*/"\"bf16\"", "bf16, fp16, tf32 or fp8_e4m3">,
                 Option<"marksRoundings", "mark-roundings", "bool", /*default=*/"false", "each rounding is marked with the operand or result that it rounds">];
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
  let summary = "windows that begin before all elements become prefix scans, and prefix scans with other bodies than known reductions are marked";
  let description = [{
    before: reduce_window of 5 elements over `pad(x)` of a `tensor<5xf32>`, low = [4]
    ==>
    after: reduce_window of 5 elements over x, padding = [[4, 0]]: all elements up to each

    The initial value must be neutral. It may precede and follow the elements by padding or in a concatenation, and
    under slices, reversals, transposes, broadcasts and reshapes of these.

    before: reduce_window over all elements from the first up to each position, by a body that returns the initial value
    if both arguments are the initial value
    ==>
    after: the same with `plan.prefix_scan`: the result for all elements up to one position, combined with the next
    element, is the result for all elements up to the next position

    requires: nothing. guarantees: nothing.
  }];
}

def SimplifyWhilesPass : Pass<"simplify-whiles", "::mlir::func::FuncOp"> {
  let summary = "loops no longer carry values that never change";
  let description = [{
    before: a `while` whose body yields a carried value unchanged
    ==>
    after: the `while` without it; users read the value from outside

    requires: nothing. guarantees: nothing. A carried value costs a copy into the loop's memory.
  }];
}

def UnrollWhilesPass : Pass<"unroll-whiles", "::mlir::func::FuncOp"> {
  let summary = "short loops of elementwise operations become their iterations";
  let description = [{
    before: a `while` of up to 16 iterations, known in number, with a body of elementwise operations and data movement
    ==>
    after: one copy of the body's operations per iteration, if they are at most 512 in all

    requires: nothing. guarantees: nothing. Carried values pass through memory in each iteration; the unrolled
    iterations are one kernel.
  }];
}

def CsePass : Pass<"cse", "::mlir::func::FuncOp"> {
  let summary = "duplicate operations are computed once";
  let description = [{
    before: two operations without effects that do the same with the same operands
    ==>
    after: one of them

    requires: nothing. guarantees: nothing. Operations in regions are compared too, and are themselves deduplicated.
  }];
}

#endif // DRUMLIN_TRANSFORMS_SIMPLIFY_PASSES
