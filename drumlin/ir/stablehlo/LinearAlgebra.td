// Fourier transforms, and factorizations and solves of matrices.
include "drumlin/ir/stablehlo/StablehloBase.td"

def Stablehlo_CholeskyOp : Stablehlo_IndexedOp<"cholesky", [Pure, Stablehlo_SameType, OfClass<"Hero">]> {
  let arguments = (ins Stablehlo_FpOrComplexTensor:$a,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$lower);
  let results = (outs Stablehlo_FpOrComplexTensor:$result);
  let assemblyFormat = [{
    $a (`,` `lower` `=` $lower^)? attr-dict `:` custom<OperandAndResultTypes>(type($a), type($result))
  }];
  let hasVerifier = 1;
}

def Stablehlo_FftOp : Stablehlo_IndexedOp<"fft", [Pure, OfClass<"Hero">]> {
  let arguments = (ins Stablehlo_PlainFpOrComplexTensor:$operand, Stablehlo_FftTypeAttr:$fft_type,
      DenseI64ArrayAttr:$fft_length);
  let results = (outs Stablehlo_PlainFpOrComplexTensor:$result);
  let assemblyFormat = [{
    $operand `,` `type` `=` `` $fft_type `,` `length` `=` $fft_length attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Stablehlo_TriangularSolveOp : Stablehlo_IndexedOp<"triangular_solve", [Pure, OfClass<"Hero">]> {
  let arguments = (ins Stablehlo_FpOrComplexTensor:$a, Stablehlo_FpOrComplexTensor:$b,
      BoolAttr:$left_side, BoolAttr:$lower, BoolAttr:$unit_diagonal,
      Stablehlo_TransposeAttr:$transpose_a);
  let results = (outs Stablehlo_FpOrComplexTensor:$result);
  let hasVerifier = 1;
}
