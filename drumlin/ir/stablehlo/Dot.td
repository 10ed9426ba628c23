// Contractions.
include "drumlin/ir/stablehlo/StablehloBase.td"

def Stablehlo_DotGeneralOp : Stablehlo_IndexedOp<"dot_general", [Pure, OfClass<"Hero">]> {
  let arguments = (ins Stablehlo_Tensor:$lhs, Stablehlo_TensorOrQuantized:$rhs,
      Stablehlo_DotDimensionNumbers:$dot_dimension_numbers,
      OptionalAttr<Stablehlo_PrecisionConfigAttr>:$precision_config,
      OptionalAttr<Stablehlo_DotAlgorithm>:$algorithm);
  let results = (outs Stablehlo_TensorOrQuantized:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensionNumbers>($dot_dimension_numbers) ``
    custom<PrecisionConfigAndAlgorithm>($precision_config, $algorithm) attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    // Returns the precision of operand 0 or 1; DEFAULT if the program has none.
    Precision precisionOrDefault(unsigned operand);
  }];
}

// A dot of vectors and matrices, in older programs.
def Stablehlo_DotOp : Stablehlo_IndexedOp<"dot", [Pure]> {
  let arguments = (ins Stablehlo_Tensor:$lhs, Stablehlo_TensorOrQuantized:$rhs,
      OptionalAttr<Stablehlo_PrecisionConfigAttr>:$precision_config);
  let results = (outs Stablehlo_TensorOrQuantized:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `` custom<PrecisionConfig>($precision_config) attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
