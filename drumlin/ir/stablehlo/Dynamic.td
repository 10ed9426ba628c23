// Operations with a result shape that is known only at run time, and operations that return or set
// sizes.
include "drumlin/ir/stablehlo/StablehloBase.td"

def Stablehlo_DynamicBroadcastInDimOp : Stablehlo_IndexedOp<"dynamic_broadcast_in_dim", [Pure]> {
  let arguments = (ins Stablehlo_TensorOrQuantized:$operand,
      Stablehlo_DimensionTensor:$output_dimensions, DenseI64ArrayAttr:$broadcast_dimensions,
      OptionalAttr<DenseI64ArrayAttr>:$known_expanding_dimensions,
      OptionalAttr<DenseI64ArrayAttr>:$known_nonexpanding_dimensions);
  let results = (outs Stablehlo_TensorOrQuantized:$result);
  let assemblyFormat = [{
    $operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Stablehlo_DynamicGatherOp : Stablehlo_Op<"dynamic_gather", [Pure]> {
  let arguments = (ins Stablehlo_Tensor:$operand, Stablehlo_IntTensor:$start_indices,
      Stablehlo_IntTensor:$slice_sizes, Stablehlo_GatherDimensionNumbers:$dimension_numbers,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs Stablehlo_Tensor:$result);
  let hasVerifier = 1;
}

def Stablehlo_DynamicIotaOp : Stablehlo_Op<"dynamic_iota", [Pure]> {
  let arguments = (ins Stablehlo_DimensionTensor:$output_shape, I64Attr:$iota_dimension);
  let results = (outs Stablehlo_NumericTensor:$result);
  let assemblyFormat = [{
    $output_shape `,` `dim` `=` $iota_dimension attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Stablehlo_DynamicPadOp : Stablehlo_Op<"dynamic_pad", [Pure]> {
  let arguments = (ins Stablehlo_Tensor:$operand, Stablehlo_Scalar:$padding_value,
      Stablehlo_DimensionTensor:$edge_padding_low, Stablehlo_DimensionTensor:$edge_padding_high,
      Stablehlo_DimensionTensor:$interior_padding);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Stablehlo_DynamicReshapeOp : Stablehlo_IndexedOp<"dynamic_reshape", [Pure]> {
  let arguments = (ins Stablehlo_TensorOrQuantized:$operand,
      Stablehlo_DimensionTensor:$output_shape);
  let results = (outs Stablehlo_TensorOrQuantized:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

// A slice whose start indices, limit indices and strides are operands. It is not in the
// specification.
def Stablehlo_RealDynamicSliceOp : Stablehlo_Op<"real_dynamic_slice", [Pure]> {
  let arguments = (ins Stablehlo_Tensor:$operand, Stablehlo_DimensionTensor:$start_indices,
      Stablehlo_DimensionTensor:$limit_indices, Stablehlo_DimensionTensor:$strides);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Stablehlo_GetDimensionSizeOp : Stablehlo_Op<"get_dimension_size", [Pure]> {
  let arguments = (ins Stablehlo_TensorOrQuantized:$operand, I64Attr:$dimension);
  let results = (outs Stablehlo_I32Scalar:$result);
  let assemblyFormat =
      "$operand `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

// Returns the operand's first `size` elements along a dimension. This dimension of the result has a
// dynamic size, bounded by the operand's size. Not in the specification.
def Stablehlo_SetDimensionSizeOp : Stablehlo_IndexedOp<"set_dimension_size", [Pure]> {
  let arguments = (ins Stablehlo_Tensor:$operand, Stablehlo_I32Scalar:$size, I64Attr:$dimension);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $size `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
