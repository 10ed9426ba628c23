#ifndef DRUMLIN_TRANSFORMS_REWRITE_PASSES
#define DRUMLIN_TRANSFORMS_REWRITE_PASSES

include "mlir/Pass/PassBase.td"

def FactorScalesPass : Pass<"factor-scales", "::mlir::func::FuncOp"> {
  let summary = "scales of dots' operands become scales of their results";
  let description = [{
    before: `dot_general(x, multiply(w, broadcast_in_dim(s)))`, with `s` constant along the contracting dimensions
    ==>
    after: `multiply(dot_general(x, w), broadcast_in_dim(s))`

    Applies if `--numerics` allows `reassociate`, the result has fewer elements than the operand, and both types have
    the exponent range of f32. Don't use this pass if scales keep sums from overflowing: it makes the sums those of
    unscaled numbers.

    requires: no calls. guarantees: nothing.
  }];
  let dependentDialects = ["::drumlin::stablehlo::StablehloDialect"];
}

def WidenScansPass : Pass<"widen-scans", "::mlir::func::FuncOp"> {
  let summary = "running sums and products of f32, and sums of long windows, are kept in f64";
  let description = [{
    before: reduce_window, by `add`, of all elements up to each position of a `tensor<1000xf32>`
    ==>
    after: `convert` to f64, the same reduce_window of `tensor<1000xf64>`, `convert` to f32

    The error of an f32 running value grows with the number of elements before it. Applies to running values of at least
    16 elements, for `add` and `multiply`, and for bodies that add logarithms,
    `max(a, b) + log_plus_one(exponential(-|a - b|))`, whose functions of one number stay in f32. Sums of other windows
    are added up one element at a time: applies to windows of more than 256 elements.

    requires: no calls. guarantees: nothing.
  }];
  let dependentDialects = ["::drumlin::stablehlo::StablehloDialect"];
}

def WidenScattersPass : Pass<"widen-scatters", "::mlir::func::FuncOp"> {
  let summary = "scatters that add many updates to one element add them up in a wider type";
  let description = [{
    before: `scatter` of 1000 updates into a `tensor<8xf32>`, by `add`
    ==>
    after: `scatter` into a `tensor<8xf64>`, by `add` of f64; `convert` to f32

    The error of an element grows with the number of its updates. Uses f64, or f32 if all results in f64 would take more
    than half of the target's L2. Doesn't apply if indices are unique, or if there are at most 256 updates in all (16 for
    types narrower than f32).

    requires: no calls. guarantees: nothing.
  }];
  let dependentDialects = ["::drumlin::stablehlo::StablehloDialect"];
  let options = [
    Option<"targetName", "target", "std::string", /*default=*/"\"native\"", "the CPU, spelled as on the command line">];
}

def SplitContractionsPass : Pass<"split-contractions", "::mlir::func::FuncOp"> {
  let summary = "long contractions of few rows and columns are split into parts that are added up";
  let description = [{
    before: `dot_general` of `tensor<8x131072xf32>` and `tensor<131072x8xf32>`
    ==>
    after: one of `tensor<8x16x8192xf32>` and `tensor<16x8192x8xf32>`, batched over the 16, and a `reduce` of its result

    Applies if the dot's schedule would have too few work items to share among threads. The number of parts depends on
    the shapes and the target. Parts are in f32, or in the result's type if that is f64 or an integer. Their sum is
    rounded once.

    requires: no calls.
  }];
  let dependentDialects = ["::drumlin::stablehlo::StablehloDialect"];
  let options = [
    Option<"targetName", "target", "std::string", /*default=*/"\"native\"", "the CPU, spelled as on the command line">];
}

def SplitReductionsPass : Pass<"split-reductions", "::mlir::func::FuncOp"> {
  let summary = "reductions of many elements to few results are split into parts whose results are combined";
  let description = [{
    before: `reduce`, by `add`, of a `tensor<1000000xf32>`
    ==>
    after: `reduce` of a `tensor<50x20000xf32>` to a `tensor<50xf32>`; an `optimization_barrier`; `reduce` of the 50 results

    Without the split, one thread would compute each result. The number of parts depends on the shape alone: a part has
    at least 16,384 elements, and there are at most 64 parts. If no such number divides a dimension evenly, the positions
    that are left over are reduced by themselves. Sums of floats narrower than f32 are kept in f32 and rounded once.
    Doesn't apply to reductions of more than 3 rows, or of more than 512 columns.

    requires: no calls. guarantees: nothing.
  }];
  let dependentDialects = ["::drumlin::stablehlo::StablehloDialect"];
}

def SplitDilationsPass : Pass<"split-dilations", "::mlir::func::FuncOp"> {
  let summary = "convolutions of dilated inputs become convolutions of the inputs, whose results interleave";
  let description = [{
    before: `convolution` of `tensor<8x28x28x64xf32>` and `tensor<4x4x32x64xf32>`, stride = [1, 1], pad = [[3, 3], [3, 3]], lhs_dilate = [2, 2]
    ==>
    after: one with `tensor<2x2x128x64xf32>`, pad = [[1, 1], [1, 1]], which computes four phases as output features;
    `reshape` and `transpose` of its result

    Whether a tap of the kernel meets an element or an inserted zero depends on the output position modulo the dilation,
    its phase. If one convolution computes several phases, its kernel has zeros at taps that only other phases have; if
    that is more expensive, phases with different windows are separate convolutions. Phases without a tap are zeros.

    requires: no calls. guarantees: no convolution has an `lhs_dilate` above 1, unless the ledger says so, sizes are
    dynamic, or a size is 0. Not for targets whose libraries compute input gradients directly.
  }];
  let dependentDialects = ["::drumlin::stablehlo::StablehloDialect"];
}

def SplitTransformsPass : Pass<"split-transforms", "::mlir::func::FuncOp"> {
  let summary = "Fourier transforms of several dimensions and of long lines become transforms of lines";
  let description = [{
    before: `fft` of `tensor<64x64xcomplex<f32>>`, length = [64, 64]
    ==>
    after: `fft` of the same, length = [64]; its real and imaginary parts, transposed; `fft` of these, length = [64]; and
    its parts, transposed back

    A line of more than 128 KiB (32 KiB if it isn't contiguous) becomes the rows and columns of a matrix; or, if its
    length has a large prime factor, a convolution by transforms of a power of two.

    requires: no calls. guarantees: each `fft` transforms one dimension.
  }];
  let dependentDialects = ["::drumlin::stablehlo::StablehloDialect"];
}

def UnrollReductionsPass : Pass<"unroll-reductions", "::mlir::func::FuncOp"> {
  let summary = "reductions of few elements along the innermost dimension become elementwise operations on slices";
  let description = [{
    before: `reduce` of a `tensor<100000x3xf32>` with `add`, across dimensions = [1]
    ==>
    after: three slices of it and their sum, starting from the initial value, in the specification's order

    Lanes along three elements would be mostly empty, so lanes run along results instead. Sums of narrow floats are kept
    in f32 until their end. A dot of up to 32 k elements becomes multiplications of slices and their sum if only
    reductions read its result and keep at most an eighth of it: the reductions compute the result on demand, and it is
    never stored. The same applies to a reduction of up to 32 elements of broadcasts of smaller values, such as distances
    of points. With more than four k elements, the operand is transposed first, behind a barrier, so that lanes read
    contiguous elements for each k. A dot of more than four k elements stays if its result is read again after its
    reduction, if it is reduced along several sets of dimensions, or if it is reduced to one number, which GEMM kernels
    do themselves.

    requires: no calls. guarantees: nothing.
    Not for programs whose reductions must stay visible to further StableHLO passes.
  }];
  let dependentDialects = ["::drumlin::stablehlo::StablehloDialect"];
}

def GemmRewritePass : Pass<"gemm-rewrite", "::mlir::func::FuncOp"> {
  let summary = "a dot or convolution with its prologue and epilogue becomes one plan.gemm";
  let description = [{
    before: `dot_general` and `convolution` among pointwise and shape operations
    ==>
    after: `plan.gemm`, whose region holds the dot, its prologue (conversions, scales, transposes, … of the operands)
    and its epilogue (bias, activation, clamp, conversion, amax, …)

    requires: no calls. guarantees: no dot or convolution outside a plan.gemm.
    Not for programs whose dots must stay visible to further StableHLO passes: it is the step into the plan.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
  let options = [
    Option<"typeName", "model-type", "std::string", /*default=*/"\"generic\"", "generic, transformer or unet-inference">];
}

def HeroRewritePass : Pass<"hero-rewrite", "::mlir::func::FuncOp"> {
  let summary = "sort, top_k, scatter, select_and_scatter, cholesky, triangular_solve and fft each become a separate kernel";
  let description = [{
    before: `sort`, `top_k`, `scatter`, `select_and_scatter`, `cholesky`, `triangular_solve`, `fft`
    ==>
    after: `plan.sort`, `plan.scatter`, `plan.window`, `plan.triangular`, `plan.fft`; for operations on complex numbers,
    with the `complex` of their operands and the `real` and `imag` of their result

    A `plan.fft` also contains the `complex` of its operand, data movement and cheap arithmetic that only the transform
    uses, and `real`, `imag` and their transposes after the transform.

    requires: no calls. guarantees: none of these operations outside a kernel.
  }];
  let dependentDialects = ["::drumlin::plan::PlanDialect"];
}

#endif // DRUMLIN_TRANSFORMS_REWRITE_PASSES
