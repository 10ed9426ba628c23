// Gather and scatter.
include "drumlin/ir/stablehlo/StablehloBase.td"

def Stablehlo_GatherOp : Stablehlo_IndexedOp<"gather", [Pure, OfClass<"Gather">]> {
  let arguments = (ins Stablehlo_Tensor:$operand, Stablehlo_IntTensor:$start_indices,
      Stablehlo_GatherDimensionNumbers:$dimension_numbers, DenseI64ArrayAttr:$slice_sizes,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs Stablehlo_Tensor:$result);
  let hasVerifier = 1;
  let extraClassDeclaration = "bool readsBySizes();";
}

def Stablehlo_ScatterOp : Stablehlo_IndexedRegionOp<"scatter", [SameVariadicOperandSize, OfClass<"Hero">]> {
  let arguments = (ins Variadic<Stablehlo_Tensor>:$inputs, Stablehlo_IntTensor:$scatter_indices,
      Variadic<Stablehlo_Tensor>:$updates,
      Stablehlo_ScatterDimensionNumbers:$scatter_dimension_numbers,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$unique_indices);
  let results = (outs Variadic<Stablehlo_Tensor>:$results);
  let regions = (region SizedRegion<1>:$update_computation);
  let hasVerifier = 1;
}
