// Types of values that aren't tensors, and attributes of operations that communicate between
// processes or call other code.
#ifndef DRUMLIN_STABLEHLO_DISTRIBUTION
#define DRUMLIN_STABLEHLO_DISTRIBUTION

include "drumlin/ir/stablehlo/StablehloBase.td"
include "mlir/IR/SymbolInterfaces.td"

//===-- types ---------------------------------------------------------------------------------===//

class Stablehlo_Type<string name, string typeMnemonic> : TypeDef<Stablehlo_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Stablehlo_TokenType : Stablehlo_Type<"Token", "token"> {
  let summary = "an opaque value that orders the operations that produce and use it";
}

def Stablehlo_FutureType : Stablehlo_Type<"Future", "future"> {
  let summary = "tensors that an asynchronous operation will produce";
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` $types `>`";
  let genVerifyDecl = 1;
}

// The types of values that belong to one of the kinds (`values` in StablehloTypes.h).
class Stablehlo_ValueOf<list<string> kinds, string description>
    : Type<CPred<"::drumlin::stablehlo::isValueOf($_self, "#!interleave(
               !foreach(kind, kinds, "::drumlin::stablehlo::values::"#kind), " | ")#")">,
           description>;

def Stablehlo_Token : Stablehlo_ValueOf<["Token"], "token">;
def Stablehlo_Future : Stablehlo_ValueOf<["Future"], "future">;
def Stablehlo_Tuple : Stablehlo_ValueOf<["Tuple"], "tuple of tensors, buffers, tokens and tuples">;
def Stablehlo_TensorOrToken
    : Stablehlo_ValueOf<["Tensor", "Token"], "tensor or per-tensor quantized tensor or token">;
def Stablehlo_AnyTensorOrToken
    : Stablehlo_ValueOf<["AnyTensor", "Token"], "tensor or quantized tensor or token">;
def Stablehlo_AnyTensorTokenOrBuffer
    : Stablehlo_ValueOf<["AnyTensor", "Token", "Buffer"],
                        "tensor or quantized tensor or token or buffer">;
def Stablehlo_AnyTensorTokenOrTuple
    : Stablehlo_ValueOf<["AnyTensor", "Token", "Tuple"],
                        "tensor or quantized tensor or token or tuple">;
def Stablehlo_Value
    : Stablehlo_ValueOf<["AnyTensor", "Token", "Tuple", "Buffer"],
                        "tensor or quantized tensor or token or tuple or buffer">;
def Stablehlo_ForeignValue
    : Stablehlo_ValueOf<["AnyTensor", "UnrankedTensor", "Token", "Tuple", "Buffer", "Future"],
                        "tensor or quantized tensor or token or tuple or buffer or future">;
def Stablehlo_UI32Scalar
    : Type<And<[Stablehlo_IntScalar.predicate,
                CPred<"::mlir::getElementTypeOrSelf($_self).isUnsignedInteger(32)">]>,
           "0-dimensional tensor of ui32", "::mlir::RankedTensorType">;

//===-- attributes ----------------------------------------------------------------------------===//

def Stablehlo_CustomCallApiVersion
    : Stablehlo_Enum<"CustomCallApiVersion", "the calling convention of a custom call",
                     [I32EnumAttrCase<"API_VERSION_UNSPECIFIED", 0>,
                      I32EnumAttrCase<"API_VERSION_ORIGINAL", 1>,
                      I32EnumAttrCase<"API_VERSION_STATUS_RETURNING", 2>,
                      I32EnumAttrCase<"API_VERSION_STATUS_RETURNING_UNIFIED", 3>,
                      I32EnumAttrCase<"API_VERSION_TYPED_FFI", 4>]> {
  // Printed as a plain number: `api_version = 4 : i32`.
  let genSpecializedAttr = 1;
}

def Stablehlo_ChannelHandle : Stablehlo_Attr<"ChannelHandle", "channel_handle"> {
  let summary = "the number of a channel and its type (`ChannelType`)";
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Stablehlo_OutputOperandAlias : Stablehlo_Attr<"OutputOperandAlias", "output_operand_alias"> {
  let summary = "a part of a custom call's results that shares the memory of a part of an operand";
  let parameters = (ins ArrayRefParameter<"int64_t">:$outputTupleIndices,
      "int64_t":$operandIndex, ArrayRefParameter<"int64_t">:$operandTupleIndices);
  let assemblyFormat = [{
    `<` `output_tuple_indices` `=` custom<NumberList>($outputTupleIndices) `,`
    `operand_index` `=` $operandIndex `,`
    `operand_tuple_indices` `=` custom<NumberList>($operandTupleIndices) `>`
  }];
}

def Stablehlo_SubAxisInfo : Stablehlo_Attr<"SubAxisInfo", "sub_axis_info"> {
  let summary = "a part of a split mesh axis: the product of the sizes before it, its own size";
  let parameters = (ins "int64_t":$pre_size, "int64_t":$size);
  let assemblyFormat = "`(` $pre_size `)` `` $size";
}

def Stablehlo_AxisRef : Stablehlo_Attr<"AxisRef", "axis_ref"> {
  let summary = "an axis of a mesh, or a part of one";
  let parameters = (ins StringRefParameter<"name of the axis">:$name,
      OptionalParameter<"SubAxisInfoAttr">:$sub_axis_info);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Stablehlo_MeshAxis : Stablehlo_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "an axis of a mesh of devices";
  let parameters = (ins StringRefParameter<"name of the axis">:$name, "int64_t":$size);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Stablehlo_Mesh : Stablehlo_Attr<"Mesh", "mesh"> {
  let summary = "a grid of devices with named axes, numbered in row-major order or by device_ids";
  let parameters = (ins ArrayRefParameter<"MeshAxisAttr">:$axes,
      OptionalParameter<"::mlir::DenseIntElementsAttr">:$device_ids);
  let assemblyFormat = [{
    `<` `axes` `` `=` `` `[` $axes `]` (`,` `device_ids` `` `=` `` $device_ids^)? `>`
  }];
}

def Stablehlo_ReplicaGroupMeshAxes
    : Stablehlo_Attr<"ReplicaGroupMeshAxes", "replica_group_mesh_axes"> {
  let summary = "groups of devices that differ only along these axes of a mesh";
  let parameters = (ins "::mlir::Attribute":$mesh, "::mlir::ArrayAttr":$axes);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Stablehlo_ReplicaGroups : AnyAttrOf<[I64ElementsAttr, Stablehlo_ReplicaGroupMeshAxes],
                                        "groups of ids, or axes of a mesh">;

class Stablehlo_IndexVector
    : Attr<CPred<"::drumlin::stablehlo::isIndexVector($_self)">, "1-dimensional tensor of index"> {
  let storageType = "::mlir::DenseIntElementsAttr";
  let returnType = "::mlir::DenseIntElementsAttr";
}
def Stablehlo_Layout : Stablehlo_IndexVector;
def Stablehlo_LayoutsAttr : TypedArrayAttrBase<Stablehlo_Layout, "a layout for each value">;
def Stablehlo_TilingsAttr
    : TypedArrayAttrBase<TypedArrayAttrBase<Stablehlo_Layout, "tiles">, "tiles for each value">;

#endif // DRUMLIN_STABLEHLO_DISTRIBUTION
