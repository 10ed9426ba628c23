// Operations that move elements without computing on them.
include "drumlin/ir/stablehlo/StablehloBase.td"

def Stablehlo_BitcastConvertOp : Stablehlo_IndexedOp<"bitcast_convert", [Pure]> {
  let arguments = (ins Stablehlo_TensorOrQuantized:$operand);
  let results = (outs Stablehlo_TensorOrQuantized:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  // The operation is pointwise if both element types have the same width. Otherwise it adds or
  // removes a dimension.
  let extraClassDeclaration = "OperationClass operationClass();";
}

def Stablehlo_BroadcastInDimOp : Stablehlo_IndexedOp<"broadcast_in_dim", [Pure, OfClass<"DataMovement">]> {
  let arguments = (ins Stablehlo_TensorOrQuantized:$operand, DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs Stablehlo_TensorOrQuantized:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $broadcast_dimensions attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = "bool readsBySizes() { return false; }";
}

def Stablehlo_ConcatenateOp : Stablehlo_IndexedOp<"concatenate", [Pure, OfClass<"DataMovement">]> {
  let arguments = (ins Variadic<Stablehlo_Tensor>:$inputs, I64Attr:$dimension);
  let results = (outs Stablehlo_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$inputs, "int64_t":$dimension)>];
  let assemblyFormat = [{
    custom<OperandsThenComma>($inputs) `dim` `=` $dimension attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = "bool readsBySizes();";
}

def Stablehlo_DynamicSliceOp : Stablehlo_IndexedOp<"dynamic_slice", [Pure, OfClass<"Gather">]> {
  let arguments = (ins Stablehlo_Tensor:$operand, Variadic<Stablehlo_IntScalar>:$start_indices,
      DenseI64ArrayAttr:$slice_sizes);
  let results = (outs Stablehlo_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "::mlir::ValueRange":$start_indices,
      "::llvm::ArrayRef<int64_t>":$slice_sizes)>];
  let assemblyFormat = [{
    $operand `,` custom<OperandsThenComma>($start_indices) `sizes` `=` $slice_sizes attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = "bool readsBySizes();";
}

def Stablehlo_DynamicUpdateSliceOp : Stablehlo_IndexedOp<"dynamic_update_slice", [Pure, OfClass<"Gather">]> {
  let arguments = (ins Stablehlo_Tensor:$operand, Stablehlo_Tensor:$update,
      Variadic<Stablehlo_IntScalar>:$start_indices);
  let results = (outs Stablehlo_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "::mlir::Value":$update,
      "::mlir::ValueRange":$start_indices)>];
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDeclaration = "bool readsBySizes();";
}

def Stablehlo_PadOp : Stablehlo_IndexedOp<"pad", [Pure, OfClass<"DataMovement">]> {
  let arguments = (ins Stablehlo_Tensor:$operand, Stablehlo_Scalar:$padding_value,
      DenseI64ArrayAttr:$edge_padding_low, DenseI64ArrayAttr:$edge_padding_high,
      DenseI64ArrayAttr:$interior_padding);
  let results = (outs Stablehlo_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "::mlir::Value":$padding_value,
      "::llvm::ArrayRef<int64_t>":$low, "::llvm::ArrayRef<int64_t>":$high,
      "::llvm::ArrayRef<int64_t>":$interior)>];
  let assemblyFormat = [{
    $operand `,` $padding_value `,` `low` `=` $edge_padding_low `,`
    `high` `=` $edge_padding_high `,`
    `interior` `=` $interior_padding attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = "bool readsBySizes();";
}

def Stablehlo_ReshapeOp : Stablehlo_IndexedOp<"reshape", [Pure, OfClass<"DataMovement">]> {
  let arguments = (ins Stablehlo_TensorOrQuantized:$operand);
  let results = (outs Stablehlo_TensorOrQuantized:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDeclaration = "bool readsBySizes();";
}

def Stablehlo_ReverseOp
    : Stablehlo_IndexedOp<"reverse", [Pure, Stablehlo_SameType, OfClass<"DataMovement">]> {
  let arguments = (ins Stablehlo_Tensor:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $dimensions attr-dict `:`
    custom<OperandAndResultTypes>(type($operand), type($result))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = "bool readsBySizes();";
}

def Stablehlo_SliceOp : Stablehlo_IndexedOp<"slice", [Pure, OfClass<"DataMovement">]> {
  let arguments = (ins Stablehlo_Tensor:$operand, DenseI64ArrayAttr:$start_indices,
      DenseI64ArrayAttr:$limit_indices, DenseI64ArrayAttr:$strides);
  let results = (outs Stablehlo_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$operand,
      "::llvm::ArrayRef<int64_t>":$start_indices, "::llvm::ArrayRef<int64_t>":$limit_indices,
      "::llvm::ArrayRef<int64_t>":$strides)>];
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides) attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = "bool readsBySizes();";
}

def Stablehlo_TransposeOp : Stablehlo_IndexedOp<"transpose", [Pure, OfClass<"DataMovement">]> {
  let arguments = (ins Stablehlo_TensorOrQuantized:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs Stablehlo_TensorOrQuantized:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$operand,
      "::llvm::ArrayRef<int64_t>":$permutation)>];
  let assemblyFormat =
      "$operand `,` `dims` `=` $permutation attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDeclaration = "bool readsBySizes() { return false; }";
}
