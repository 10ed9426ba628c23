// Sorting.
include "drumlin/ir/stablehlo/StablehloBase.td"

def Stablehlo_SortOp : Stablehlo_IndexedRegionOp<"sort", [OfClass<"Hero">]> {
  let arguments = (ins Variadic<Stablehlo_Tensor>:$inputs,
      DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$is_stable);
  let results = (outs Variadic<Stablehlo_Tensor>:$results);
  let regions = (region SizedRegion<1>:$comparator);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    // Returns the sorted dimension, counted from the first one. The program may specify it as a
    // negative number, counted from the end.
    int64_t dimensionFromFront();
  }];
}
