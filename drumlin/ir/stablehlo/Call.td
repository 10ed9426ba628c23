// Calls of code outside of StableHLO, composite operations, and tuples.
include "drumlin/ir/stablehlo/StablehloDistribution.td"

def Stablehlo_CustomCallOp
    : Stablehlo_Op<"custom_call", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let arguments = (ins Variadic<Stablehlo_ForeignValue>:$inputs, StrAttr:$call_target_name,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$has_side_effect,
      OptionalAttr<AnyAttrOf<[StrAttr, DictionaryAttr]>>:$backend_config,
      DefaultValuedOptionalAttr<
          Stablehlo_CustomCallApiVersion,
          "::drumlin::stablehlo::CustomCallApiVersion::API_VERSION_ORIGINAL">:$api_version,
      DefaultValuedOptionalAttr<
          TypedArrayAttrBase<FlatSymbolRefAttr, "names of functions">, "{}">:$called_computations,
      OptionalAttr<Stablehlo_LayoutsAttr>:$operand_layouts,
      OptionalAttr<Stablehlo_LayoutsAttr>:$result_layouts,
      DefaultValuedOptionalAttr<
          TypedArrayAttrBase<Stablehlo_OutputOperandAlias, "memory that results share with operands">,
          "{}">:$output_operand_aliases,
      OptionalAttr<Stablehlo_TilingsAttr>:$result_tilings);
  let results = (outs Variadic<Stablehlo_ForeignValue>:$results);
  let assemblyFormat = [{
    custom<CallTarget>($call_target_name) `(` $inputs `)` attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Stablehlo_CompositeOp
    : Stablehlo_Op<"composite", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let arguments = (ins Variadic<Stablehlo_AnyTensorTokenOrTuple>:$inputs, StrAttr:$name,
      DefaultValuedOptionalAttr<DictionaryAttr, "{}">:$composite_attributes,
      FlatSymbolRefAttr:$decomposition, DefaultValuedOptionalAttr<I32Attr, "0">:$version);
  let results = (outs Variadic<Stablehlo_AnyTensorTokenOrTuple>:$results);
  let regions = (region VariadicRegion<AnyRegion>:$composite_regions);
  let assemblyFormat = [{
    $name operands (` ` `(` $composite_regions^ `)`)? attr-dict `:`
    functional-type(operands, results)
  }];
}

def Stablehlo_TupleOp : Stablehlo_Op<"tuple", [Pure]> {
  let arguments = (ins Variadic<Stablehlo_Value>:$val);
  let results = (outs Stablehlo_Tuple:$result);
  let assemblyFormat = "$val attr-dict `:` custom<TupleOpType>(type($val), type($result))";
  let hasVerifier = 1;
}

def Stablehlo_GetTupleElementOp : Stablehlo_Op<"get_tuple_element", [Pure]> {
  let arguments = (ins Stablehlo_Tuple:$operand, I32Attr:$index);
  let results = (outs Stablehlo_Value:$result);
  let assemblyFormat = "$operand `[` $index `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
