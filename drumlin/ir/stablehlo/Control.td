// Control flow, and operations that order or end computations.
include "drumlin/ir/stablehlo/StablehloDistribution.td"

def Stablehlo_CaseOp : Stablehlo_RegionOp<"case", [OfClass<"Control">]> {
  let arguments = (ins Stablehlo_I32Scalar:$index);
  let results = (outs Variadic<Stablehlo_AnyTensorOrToken>:$results);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let hasVerifier = 1;
}

def Stablehlo_IfOp : Stablehlo_RegionOp<"if", [OfClass<"Control">]> {
  let arguments = (ins Stablehlo_PredScalar:$pred);
  let results = (outs Variadic<Stablehlo_AnyTensorOrToken>:$results);
  let regions = (region SizedRegion<1>:$true_branch, SizedRegion<1>:$false_branch);
  let hasVerifier = 1;
}

def Stablehlo_OptimizationBarrierOp : Stablehlo_IndexedOp<"optimization_barrier", [Pure]> {
  let arguments = (ins Variadic<Stablehlo_TensorOrToken>:$operand);
  let results = (outs Variadic<Stablehlo_TensorOrToken>:$result);
  let assemblyFormat =
      "attr-dict ($operand^ `:` custom<PairwiseTypes>(type($operand), type($result))):(`(` `)`)?";
  let hasVerifier = 1;
}

def Stablehlo_ReturnOp : Stablehlo_Op<"return", [Pure, Terminator]> {
  let arguments = (ins Variadic<Stablehlo_Value>:$results);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
}

def Stablehlo_WhileOp
    : Stablehlo_RegionOp<
          "while", [DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>,
                    OfClass<"Control">]> {
  let arguments = (ins Variadic<Stablehlo_AnyTensorTokenOrBuffer>:$operand);
  let results = (outs Variadic<Stablehlo_AnyTensorTokenOrBuffer>:$results);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
