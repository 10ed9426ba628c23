// The `vhlo` dialect: the types and attributes of portable artifacts. Operations are data
// (VhloOperations.def), as are types without parameters and enums (VhloScalarTypes.def,
// VhloEnums.def).
// Source: https://openxla.org/stablehlo/vhlo.
#ifndef DRUMLIN_VHLO_DIALECT
#define DRUMLIN_VHLO_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Vhlo_Dialect : Dialect {
  let name = "vhlo";
  let cppNamespace = "::drumlin::vhlo";
  let summary = "StableHLO as stored in portable artifacts, with several versions of each operation";
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute,
                        ::mlir::DialectAsmPrinter &printer) const override;
    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override;
    void printType(::mlir::Type type, ::mlir::DialectAsmPrinter &printer) const override;
    void registerTypes();
    void registerAttributes();
    void registerOperations();
    void registerBytecode();
  }];
}

//===-- types ---------------------------------------------------------------------------------===//

class Vhlo_Type<string name, string typeMnemonic> : TypeDef<Vhlo_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Vhlo_ScalarType : TypeDef<Vhlo_Dialect, "Scalar"> {
  let summary = "a type without parameters: a kind of element, or `token`, `witness` or `none`";
  let typeName = "vhlo.scalar";
  let parameters = (ins "::drumlin::vhlo::ScalarKind":$kind);
}

def Vhlo_ComplexType : Vhlo_Type<"ComplexV1", "complex_v1"> {
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
}

def Vhlo_FunctionType : Vhlo_Type<"FunctionV1", "func_v1"> {
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$inputs,
                        ArrayRefParameter<"::mlir::Type">:$outputs);
  let assemblyFormat = "`<` custom<TypeList>($inputs) `->` custom<TypeList>($outputs) `>`";
}

def Vhlo_TensorType : Vhlo_Type<"TensorV1", "tensor_v1"> {
  let summary = "a tensor; an unknown size is `ShapedType::kDynamic`";
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        "::mlir::Attribute":$encoding);
  let hasCustomAssemblyFormat = 1;
}

def Vhlo_UnrankedTensorType : Vhlo_Type<"UnrankedTensorV1", "unranked_tensor_v1"> {
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
}

def Vhlo_BufferType : Vhlo_Type<"BufferV1", "buffer_v1"> {
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
}

def Vhlo_TupleType : Vhlo_Type<"TupleV1", "tuple_v1"> {
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` custom<BareTypeList>($types) `>`";
}

def Vhlo_FutureType : Vhlo_Type<"FutureV1", "future_v1"> {
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` custom<BareTypeList>($types) `>`";
}

// A per-tensor scale is stored as a list of one scale, so that both kinds of quantized types are handled
// alike. Scales are stored as the bits of doubles, because types are compared by bits.
def Vhlo_QuantizedType : Vhlo_Type<"QuantizedV1", "quant_v1"> {
  let summary = "integers that represent real numbers, with a single scale or one per index of a dimension";
  let parameters = (ins "uint64_t":$flags, "::mlir::Type":$storageType,
                        "::mlir::Type":$expressedType,
                        "std::optional<uint64_t>":$quantizedDimension,
                        ArrayRefParameter<"uint64_t">:$scales, ArrayRefParameter<"int64_t">:$zeroPoints,
                        "int64_t":$storageTypeMin, "int64_t":$storageTypeMax);
  let hasCustomAssemblyFormat = 1;
}

//===-- attributes ----------------------------------------------------------------------------===//

class Vhlo_Attr<string name, string attrMnemonic> : AttrDef<Vhlo_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Vhlo_EnumAttr : AttrDef<Vhlo_Dialect, "Enum"> {
  let summary = "one of several named cases";
  let attrName = "vhlo.enum";
  let parameters = (ins "::drumlin::vhlo::EnumKind":$kind, "uint32_t":$value);
}

def Vhlo_ArrayAttr : Vhlo_Attr<"ArrayV1", "array_v1"> {
  let parameters = (ins ArrayRefParameter<"::mlir::Attribute">:$value);
  let hasCustomAssemblyFormat = 1;
}

def Vhlo_BooleanAttr : Vhlo_Attr<"BooleanV1", "bool_v1"> {
  let parameters = (ins "bool":$value);
  let assemblyFormat = "`<` $value `>`";
}

def Vhlo_DictionaryAttr : Vhlo_Attr<"DictionaryV1", "dict_v1"> {
  let parameters = (ins ArrayRefParameter<"std::pair<::mlir::Attribute, ::mlir::Attribute>">:$value);
  let hasCustomAssemblyFormat = 1;
}

def Vhlo_FloatAttr : Vhlo_Attr<"FloatV1", "float_v1"> {
  let parameters = (ins "::mlir::Type":$type, APFloatParameter<"">:$value);
  let hasCustomAssemblyFormat = 1;
}

def Vhlo_IntegerAttr : Vhlo_Attr<"IntegerV1", "integer_v1"> {
  let parameters = (ins "::mlir::Type":$type, APIntParameter<"">:$value);
  let hasCustomAssemblyFormat = 1;
}

def Vhlo_OutputOperandAliasAttr : Vhlo_Attr<"OutputOperandAliasV1", "output_operand_alias_v1"> {
  let parameters = (ins ArrayRefParameter<"int64_t">:$outputTupleIndices, "int64_t":$operandIndex,
                        ArrayRefParameter<"int64_t">:$operandTupleIndices);
  let hasCustomAssemblyFormat = 1;
}

def Vhlo_StringAttr : Vhlo_Attr<"StringV1", "string_v1"> {
  let parameters = (ins StringRefParameter<"">:$value);
  let assemblyFormat = "`<` $value `>`";
}

// The elements are stored as MLIR's own attribute, so that the program has a single copy of them in
// every dialect.
def Vhlo_TensorAttr : Vhlo_Attr<"TensorV1", "tensor_v1"> {
  let parameters = (ins "::mlir::Type":$type, "::mlir::DenseElementsAttr":$data);
  let hasCustomAssemblyFormat = 1;
}

def Vhlo_TypeAttr : Vhlo_Attr<"TypeV1", "type_v1"> {
  let parameters = (ins "::mlir::Type":$value);
  let assemblyFormat = "`<` $value `>`";
}

def Vhlo_TypeExtensionsAttr : Vhlo_Attr<"TypeExtensionsV1", "type_extensions_v1"> {
  let summary = "the bounds of a tensor's unknown sizes";
  let parameters = (ins ArrayRefParameter<"int64_t">:$bounds);
  let hasCustomAssemblyFormat = 1;
}

def Vhlo_ResultAccuracyAttr : Vhlo_Attr<"ResultAccuracyV1", "result_accuracy_v1"> {
  let parameters = (ins APFloatParameter<"">:$atol, APFloatParameter<"">:$rtol, "int64_t":$ulps, "::mlir::Attribute":$mode);
  let hasCustomAssemblyFormat = 1;
}

def Vhlo_SubAxisInfoAttr : Vhlo_Attr<"SubAxisInfoV1", "sub_axis_info_v1"> {
  let parameters = (ins "int64_t":$preSize, "int64_t":$size);
  let assemblyFormat = "`<` `pre_size` `=` $preSize `,` `size` `=` $size `>`";
}

def Vhlo_AxisRefAttr : Vhlo_Attr<"AxisRefV1", "axis_ref_v1"> {
  let parameters = (ins "::mlir::Attribute":$name, OptionalParameter<"::mlir::Attribute">:$subAxisInfo);
  let assemblyFormat = "`<` `name` `=` $name (`,` `sub_axis_info` `=` $subAxisInfo^)? `>`";
}

def Vhlo_ReplicaGroupMeshAxesAttr
    : Vhlo_Attr<"ReplicaGroupMeshAxesV1", "replica_group_mesh_axes_v1"> {
  let parameters = (ins "::mlir::Attribute":$mesh, "::mlir::Attribute":$axes);
  let assemblyFormat = "`<` `mesh` `=` $mesh `,` `axes` `=` $axes `>`";
}

def Vhlo_MeshAxisAttr : Vhlo_Attr<"MeshAxisV1", "mesh_axis_v1"> {
  let parameters = (ins "::mlir::Attribute":$name, "int64_t":$size);
  let assemblyFormat = "`<` `name` `=` $name `,` `size` `=` $size `>`";
}

def Vhlo_MeshAttr : Vhlo_Attr<"MeshV1", "mesh_v1"> {
  let parameters = (ins "::mlir::Attribute":$axes, OptionalParameter<"::mlir::Attribute">:$deviceIds);
  let assemblyFormat = "`<` `axes` `=` $axes (`,` `device_ids` `=` $deviceIds^)? `>`";
}

#endif // DRUMLIN_VHLO_DIALECT
