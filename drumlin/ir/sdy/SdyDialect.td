// The operations of `sdy` in programs that frameworks export.
// Source: https://openxla.org/shardy/sdy_dialect.
#ifndef DRUMLIN_SDY_DIALECT
#define DRUMLIN_SDY_DIALECT

include "drumlin/ir/sdy/SdyAttributes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Sdy_Op<string mnemonic, list<Trait> traits = []> : Op<Sdy_Dialect, mnemonic, traits>;

def Sdy_MeshOp : Sdy_Op<"mesh", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "a mesh of devices by name";
  let arguments = (ins SymbolNameAttr:$sym_name, Sdy_Mesh:$mesh);
  let assemblyFormat = "$sym_name `=` custom<Mesh>($mesh) attr-dict";
}

// `sdy.sharding_constraint %0 <@mesh, [{}, {"x"}]> : tensor<8x4xf32>`.
class Sdy_ShardingOp<string mnemonic>
    : Sdy_Op<mnemonic, [AllTypesMatch<["input", "result"]>]> {
  let arguments = (ins AnyType:$input, Sdy_Sharding:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input custom<Sharding>($sharding) attr-dict `:` type($result)";
}
def Sdy_ShardingConstraintOp : Sdy_ShardingOp<"sharding_constraint">;
def Sdy_ReshardOp : Sdy_ShardingOp<"reshard">;

def Sdy_ShardingGroupOp : Sdy_Op<"sharding_group"> {
  let summary = "tensors of the same group have the same sharding";
  let arguments = (ins AnyType:$input, I64Attr:$group_id);
  let assemblyFormat = "$input `group_id` `=` $group_id attr-dict `:` type($input)";
}

def Sdy_ManualComputationOp : Sdy_Op<"manual_computation", [RecursiveMemoryEffects]> {
  let summary = "a part of the program whose code describes a single device";
  let arguments = (ins Variadic<AnyType>:$tensors, Sdy_ShardingPerValue:$in_shardings,
      Sdy_ShardingPerValue:$out_shardings, Sdy_ManualAxes:$manual_axes);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` operands `)` `in_shardings` `` `=` `` custom<ShardingList>($in_shardings)
    `out_shardings` `` `=` `` custom<ShardingList>($out_shardings)
    `manual_axes` `` `=` `` custom<ManualAxes>($manual_axes)
    custom<Body>($body) attr-dict `:` functional-type(operands, results)
  }];
}

def Sdy_ReturnOp : Sdy_Op<"return", [Pure, Terminator]> {
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

#endif // DRUMLIN_SDY_DIALECT
