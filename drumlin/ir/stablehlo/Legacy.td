// Operations of older programs; except for `map`, they are no longer in the specification.
include "drumlin/ir/stablehlo/StablehloBase.td"

def Stablehlo_BroadcastOp : Stablehlo_IndexedOp<"broadcast", [Pure]> {
  let summary = "the operand, repeated along new outer dimensions";
  let arguments = (ins Stablehlo_Tensor:$operand, DenseI64ArrayAttr:$broadcast_sizes);
  let results = (outs Stablehlo_TensorOrQuantized:$result);
  let assemblyFormat = [{
    $operand `,` `sizes` `=` $broadcast_sizes attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Stablehlo_EinsumOp : Stablehlo_IndexedOp<"einsum", [Pure]> {
  let summary = "Einstein summation over two operands";
  let arguments = (ins Stablehlo_Tensor:$lhs, Stablehlo_Tensor:$rhs, StrAttr:$einsum_config);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Stablehlo_UnaryEinsumOp : Stablehlo_IndexedOp<"unary_einsum", [Pure]> {
  let summary = "Einstein summation over one operand";
  let arguments = (ins Stablehlo_Tensor:$operand, StrAttr:$einsum_config);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Stablehlo_MapOp : Stablehlo_IndexedRegionOp<"map"> {
  let arguments = (ins Variadic<Stablehlo_Tensor>:$inputs, DenseI64ArrayAttr:$dimensions);
  let results = (outs Stablehlo_Tensor:$result);
  let regions = (region SizedRegion<1>:$computation);
  let hasVerifier = 1;
}

def Stablehlo_TorchIndexSelectOp : Stablehlo_IndexedOp<"torch_index_select", [Pure]> {
  let summary = "slices of a dimension, chosen by indices";
  let arguments = (ins Stablehlo_Tensor:$operand, Stablehlo_IntTensor:$index, I64Attr:$dim,
      I64Attr:$batch_dims);
  let results = (outs Stablehlo_Tensor:$result);
  let hasVerifier = 1;
}
