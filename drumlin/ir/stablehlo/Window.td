// Sliding windows.
include "drumlin/ir/stablehlo/StablehloBase.td"

def Stablehlo_ReduceWindowOp : Stablehlo_IndexedRegionOp<"reduce_window", [SameVariadicOperandSize, OfClass<"Reduction">]> {
  let arguments = (ins Variadic<Stablehlo_Tensor>:$inputs, Variadic<Stablehlo_Scalar>:$init_values,
      DenseI64ArrayAttr:$window_dimensions, OptionalAttr<DenseI64ArrayAttr>:$window_strides,
      OptionalAttr<DenseI64ArrayAttr>:$base_dilations,
      OptionalAttr<DenseI64ArrayAttr>:$window_dilations, OptionalAttr<I64ElementsAttr>:$padding);
  let results = (outs Variadic<Stablehlo_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    // Return one entry per dimension. If the program lacks the attribute, the entries are the
    // specification's default.
    ::llvm::SmallVector<int64_t> windowStridesOrDefault();
    ::llvm::SmallVector<int64_t> baseDilationsOrDefault();
    ::llvm::SmallVector<int64_t> windowDilationsOrDefault();
    ::llvm::SmallVector<std::pair<int64_t, int64_t>> paddingOrDefault();
  }];
}

def Stablehlo_SelectAndScatterOp : Stablehlo_IndexedRegionOp<"select_and_scatter", [OfClass<"Hero">]> {
  let arguments = (ins Stablehlo_Tensor:$operand, Stablehlo_Tensor:$source,
      Stablehlo_Scalar:$init_value, OptionalAttr<DenseI64ArrayAttr>:$window_dimensions,
      OptionalAttr<DenseI64ArrayAttr>:$window_strides, OptionalAttr<I64ElementsAttr>:$padding);
  let results = (outs Stablehlo_Tensor:$result);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<int64_t> windowDimensionsOrDefault();
    ::llvm::SmallVector<int64_t> windowStridesOrDefault();
    ::llvm::SmallVector<std::pair<int64_t, int64_t>> paddingOrDefault();
  }];
}
