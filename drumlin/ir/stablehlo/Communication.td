// Tokens, streams, channels between two processes, and asynchronous operations.
include "drumlin/ir/stablehlo/StablehloDistribution.td"

def Stablehlo_AfterAllOp : Stablehlo_Op<"after_all", [Pure]> {
  let arguments = (ins Variadic<Stablehlo_Token>:$inputs);
  let results = (outs Stablehlo_Token:$result);
  let assemblyFormat = "$inputs attr-dict `:` custom<TokenTypes>(ref($inputs), type($inputs), type($result))";
}

def Stablehlo_CreateTokenOp : Stablehlo_Op<"create_token", [Pure]> {
  let results = (outs Stablehlo_Token:$output);
  let assemblyFormat = "attr-dict `:` type($output)";
}

def Stablehlo_InfeedOp : Stablehlo_Op<"infeed"> {
  let arguments = (ins Stablehlo_Token:$token, DefaultValuedStrAttr<StrAttr, "">:$infeed_config,
      OptionalAttr<ArrayAttr>:$layout);
  let results = (outs Variadic<Stablehlo_AnyTensorOrToken>:$results);
  let hasVerifier = 1;
}

def Stablehlo_OutfeedOp : Stablehlo_Op<"outfeed"> {
  let arguments = (ins Variadic<Stablehlo_TensorOrQuantized>:$inputs, Stablehlo_Token:$token,
      DefaultValuedStrAttr<StrAttr, "">:$outfeed_config);
  let results = (outs Stablehlo_Token:$result);
}

def Stablehlo_RecvOp : Stablehlo_Op<"recv"> {
  let arguments = (ins Stablehlo_Token:$token, Stablehlo_ChannelHandle:$channel_handle,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer,
      OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs Variadic<Stablehlo_AnyTensorOrToken>:$results);
  let hasVerifier = 1;
}

def Stablehlo_SendOp : Stablehlo_Op<"send"> {
  let arguments = (ins Variadic<Stablehlo_TensorOrQuantized>:$inputs, Stablehlo_Token:$token,
      Stablehlo_ChannelHandle:$channel_handle,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$is_host_transfer,
      OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs Stablehlo_Token:$result);
  let hasVerifier = 1;
}

def Stablehlo_AsyncStartOp : Stablehlo_RegionOp<"async_start"> {
  let arguments = (ins Variadic<Stablehlo_Tensor>:$operands);
  let results = (outs Stablehlo_Future:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
}

def Stablehlo_AsyncDoneOp : Stablehlo_Op<"async_done"> {
  let arguments = (ins Stablehlo_Future:$operand);
  let results = (outs Variadic<Stablehlo_Tensor>:$results);
  let hasVerifier = 1;
}
