// The attributes of `sdy`: meshes of devices, and shardings of tensors on them.
// Source: https://openxla.org/shardy/sdy_dialect.
#ifndef DRUMLIN_SDY_ATTRIBUTES
#define DRUMLIN_SDY_ATTRIBUTES

include "drumlin/ir/sdy/SdyBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

// An attribute that is nested in another attribute is printed without its mnemonic: `<@mesh, [{"x"}]>`.
class Sdy_Attr<string name, string mnemonicName, dag parts> : AttrDef<Sdy_Dialect, name> {
  let mnemonic = mnemonicName;
  let parameters = parts;
  let hasCustomAssemblyFormat = 1;
}
class Sdy_CheckedAttr<string name, string mnemonicName, dag parts>
    : Sdy_Attr<name, mnemonicName, parts> {
  let genVerifyDecl = 1;
}

def Sdy_MeshAxis : Sdy_CheckedAttr<"MeshAxis", "mesh_axis",
    (ins StringRefParameter<>:$name, "int64_t":$size)> {
  let summary = "an axis of a mesh, with its number of devices: `\"x\"=2`";
}

def Sdy_Mesh : Sdy_CheckedAttr<"Mesh", "mesh",
    (ins OptionalArrayRefParameter<"MeshAxisAttr">:$axes, OptionalArrayRefParameter<"int64_t">:$device_ids)> {
  let summary = "devices in a grid: `<[\"x\"=2, \"y\"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>`";
  let description = [{
    The devices of a grid are numbered row-major, unless `device_ids` says which one stands where. Without axes, one id is a
    mesh of that device alone, and none a mesh that isn't known.
  }];
  let extraClassDeclaration = [{
    // Returns the axis of this name, or nothing if the mesh has no such axis.
    std::optional<MeshAxisAttr> axis(llvm::StringRef name) const;
    int64_t deviceCount() const;
  }];
}

def Sdy_SubAxisInfo : Sdy_CheckedAttr<"SubAxisInfo", "sub_axis_info",
    (ins "int64_t":$pre_size, "int64_t":$size)> {
  let summary = "a sub-axis with its number of devices: `(2)4`; the number in parentheses is the product of all more major sub-axes";
}

def Sdy_AxisRef : Sdy_Attr<"AxisRef", "axis_ref",
    (ins StringRefParameter<>:$name, OptionalParameter<"SubAxisInfoAttr">:$sub_axis_info)> {
  let summary = "an axis or a sub-axis: `\"x\"`, `\"x\":(2)4`";
}

def Sdy_DimensionSharding : Sdy_Attr<"DimensionSharding", "dimension_sharding",
    (ins OptionalArrayRefParameter<"AxisRefAttr">:$axes, "bool":$is_closed,
         OptionalParameter<"std::optional<uint64_t>">:$priority)> {
  let summary = "the axes along which a dimension is sharded, most major first: `{\"x\", ?}p1`";
  let description = "Propagation may shard an open dimension (`?`) further; lower priority numbers are propagated first.";
}

def Sdy_ReductionKind : I32EnumAttr<"ReductionKind", "", [
    I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"max", 1>, I32EnumAttrCase<"min", 2>]> {
  let cppNamespace = "::drumlin::sdy";
  let genSpecializedAttr = 0;
}

def Sdy_Sharding : Sdy_Attr<"Sharding", "sharding",
    (ins "::mlir::Attribute":$mesh_or_ref, OptionalArrayRefParameter<"DimensionShardingAttr">:$dimensions,
         OptionalArrayRefParameter<"AxisRefAttr">:$replicated, OptionalArrayRefParameter<"AxisRefAttr">:$unreduced,
         "::drumlin::sdy::ReductionKind":$reduction)> {
  let summary = "the sharding of a tensor on a mesh: `<@mesh, [{\"x\", ?}p1, {}], replicated={\"y\"}>`";
  let description = [{
    The mesh stands there or is named. Along replicated axes propagation cuts nothing; along unreduced ones devices hold
    parts that are combined later by `reduction`.
  }];
}

def Sdy_ShardingPerValue : Sdy_Attr<"ShardingPerValue", "sharding_per_value",
    (ins OptionalArrayRefParameter<"ShardingAttr">:$shardings)> {
  let summary = "one sharding for each value of a list";
}

def Sdy_ManualAxes : Sdy_Attr<"ManualAxes", "manual_axes",
    (ins OptionalArrayRefParameter<"::mlir::StringAttr">:$axes)> {
  let summary = "the manual axes of a region, whose code describes a single device along them: `{\"x\"}`";
}

def Sdy_DimMapping : Sdy_Attr<"DimMapping", "dim_mapping",
    (ins OptionalArrayRefParameter<"int64_t">:$factors)> {
  let summary = "the numbers of the factors whose product is a dimension's size: `ik`";
}

def Sdy_TensorMapping : Sdy_Attr<"TensorMapping", "tensor_mapping",
    (ins OptionalArrayRefParameter<"DimMappingAttr">:$dimensions)> {
  let summary = "the factors of each of a tensor's dimensions: `[i, jk]`";
}

def Sdy_OpShardingRule : Sdy_Attr<"OpShardingRule", "op_sharding_rule",
    (ins OptionalArrayRefParameter<"int64_t">:$sizes, OptionalArrayRefParameter<"TensorMappingAttr">:$operands,
         OptionalArrayRefParameter<"TensorMappingAttr">:$results, OptionalArrayRefParameter<"int64_t">:$reduction,
         OptionalArrayRefParameter<"int64_t">:$need_replication, OptionalArrayRefParameter<"int64_t">:$permutation,
         OptionalArrayRefParameter<"int64_t">:$blocked_propagation, "bool":$is_custom)> {
  let summary = "how an operation's tensors are sharded together: `<([i, k], [k, j])->([i, j]) {i=8, j=16, k=8} reduction={k}>`";
  let description = "The sizes of all factors, and the factors that are reduced, that need replication, that are permuted, or that block propagation.";
}

def Sdy_AxisRefList : Sdy_Attr<"AxisRefList", "axis_ref_list",
    (ins OptionalArrayRefParameter<"AxisRefAttr">:$axes)> {
  let summary = "axes of one dimension: `{\"x\", \"y\"}`";
}

def Sdy_ListOfAxisRefLists : Sdy_Attr<"ListOfAxisRefLists", "list_of_axis_ref_lists",
    (ins OptionalArrayRefParameter<"AxisRefListAttr">:$lists)> {
  let summary = "the axes of each dimension: `[{\"x\"}, {}]`";
}

def Sdy_AllToAllParam : Sdy_Attr<"AllToAllParam", "all_to_all_param",
    (ins OptionalArrayRefParameter<"AxisRefAttr">:$axes, "int64_t":$source, "int64_t":$target)> {
  let summary = "axes that move from one dimension to another: `{\"x\"}: 0->1`";
}

def Sdy_AllToAllParamList : Sdy_Attr<"AllToAllParamList", "all_to_all_param_list",
    (ins OptionalArrayRefParameter<"AllToAllParamAttr">:$parameters)> {
  let summary = "a list of all_to_all parameters: `[{\"x\"}: 0->1, {\"y\"}: 2->3]`";
}

#endif // DRUMLIN_SDY_ATTRIBUTES
