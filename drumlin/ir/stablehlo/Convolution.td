// Convolution.
include "drumlin/ir/stablehlo/StablehloBase.td"

def Stablehlo_ConvolutionOp : Stablehlo_IndexedOp<"convolution", [Pure, OfClass<"Hero">]> {
  let arguments = (ins Stablehlo_Tensor:$lhs, Stablehlo_TensorOrQuantized:$rhs,
      OptionalAttr<DenseI64ArrayAttr>:$window_strides, OptionalAttr<I64ElementsAttr>:$padding,
      OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation, OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
      OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
      Stablehlo_ConvDimensionNumbers:$dimension_numbers, I64Attr:$feature_group_count,
      I64Attr:$batch_group_count, OptionalAttr<Stablehlo_PrecisionConfigAttr>:$precision_config);
  let results = (outs Stablehlo_TensorOrQuantized:$result);
  let assemblyFormat = [{
    `(` operands `)` `dim_numbers` `=` custom<ConvolutionDimensions>($dimension_numbers) `,`
    `window` `=` `{`
    custom<WindowAttributes>($window_strides, $padding, $lhs_dilation, $rhs_dilation, $window_reversal)
    `}`
    attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    // Return one entry per spatial dimension. If the program lacks the attribute, the entries are
    // the specification's default.
    ::llvm::SmallVector<int64_t> windowStridesOrDefault();
    ::llvm::SmallVector<std::pair<int64_t, int64_t>> paddingOrDefault();
    ::llvm::SmallVector<int64_t> lhsDilationOrDefault();
    ::llvm::SmallVector<int64_t> rhsDilationOrDefault();
    ::llvm::SmallVector<bool> windowReversalOrDefault();
    Precision precisionOrDefault(unsigned operand);
  }];
}

// A convolution whose padding is an operand.
def Stablehlo_DynamicConvOp : Stablehlo_Op<"dynamic_conv", [Pure]> {
  let arguments = (ins Stablehlo_Tensor:$lhs, Stablehlo_TensorOrQuantized:$rhs,
      Stablehlo_IntTensor:$padding, OptionalAttr<DenseI64ArrayAttr>:$window_strides,
      OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation, OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
      OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
      Stablehlo_ConvDimensionNumbers:$dimension_numbers, I64Attr:$feature_group_count,
      I64Attr:$batch_group_count, OptionalAttr<Stablehlo_PrecisionConfigAttr>:$precision_config);
  let results = (outs Stablehlo_TensorOrQuantized:$result);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<int64_t> windowStridesOrDefault();
    // Returns the padding if it is a constant of the program; nothing if it is known only at run
    // time.
    std::optional<::llvm::SmallVector<std::pair<int64_t, int64_t>>> knownPadding();
    ::llvm::SmallVector<int64_t> lhsDilationOrDefault();
    ::llvm::SmallVector<int64_t> rhsDilationOrDefault();
    ::llvm::SmallVector<bool> windowReversalOrDefault();
  }];
}
