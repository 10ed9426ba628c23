// Operations that the processes of a group execute together, and operations that return a process's
// position in the grid.
include "drumlin/ir/stablehlo/StablehloDistribution.td"

// A collective whose replica groups may refer to a mesh by symbol.
class Stablehlo_CollectiveOp<string mnemonic, list<Trait> traits = []>
    : Stablehlo_Op<mnemonic, traits#[DeclareOpInterfaceMethods<SymbolUserOpInterface>]>;

def Stablehlo_AllGatherOp : Stablehlo_CollectiveOp<"all_gather"> {
  let arguments = (ins Variadic<Stablehlo_Tensor>:$operands, I64Attr:$all_gather_dim,
      Stablehlo_ReplicaGroups:$replica_groups,
      OptionalAttr<Stablehlo_ChannelHandle>:$channel_handle, UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<Stablehlo_Tensor>:$results);
  let hasVerifier = 1;
}

def Stablehlo_AllReduceOp : Stablehlo_CollectiveOp<"all_reduce"> {
  let arguments = (ins Variadic<Stablehlo_Tensor>:$operands,
      Stablehlo_ReplicaGroups:$replica_groups,
      OptionalAttr<Stablehlo_ChannelHandle>:$channel_handle, UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<Stablehlo_Tensor>:$results);
  let regions = (region SizedRegion<1>:$computation);
  let hasVerifier = 1;
}

def Stablehlo_AllToAllOp : Stablehlo_CollectiveOp<"all_to_all"> {
  let arguments = (ins Variadic<Stablehlo_Tensor>:$operands, I64Attr:$split_dimension,
      I64Attr:$concat_dimension, I64Attr:$split_count, Stablehlo_ReplicaGroups:$replica_groups,
      OptionalAttr<Stablehlo_ChannelHandle>:$channel_handle);
  let results = (outs Variadic<Stablehlo_Tensor>:$results);
  let hasVerifier = 1;
}

def Stablehlo_CollectiveBroadcastOp : Stablehlo_CollectiveOp<"collective_broadcast"> {
  let arguments = (ins Variadic<Stablehlo_Tensor>:$operands,
      Stablehlo_ReplicaGroups:$replica_groups,
      OptionalAttr<Stablehlo_ChannelHandle>:$channel_handle, UnitAttr:$has_dynamic_root);
  let results = (outs Variadic<Stablehlo_Tensor>:$results);
  let hasVerifier = 1;
}

def Stablehlo_CollectivePermuteOp : Stablehlo_Op<"collective_permute"> {
  let arguments = (ins Stablehlo_Tensor:$operand, I64ElementsAttr:$source_target_pairs,
      OptionalAttr<Stablehlo_ChannelHandle>:$channel_handle);
  let results = (outs Stablehlo_Tensor:$result);
  let hasVerifier = 1;
}

def Stablehlo_CollectiveReduceOp : Stablehlo_CollectiveOp<"collective_reduce"> {
  let arguments = (ins Variadic<Stablehlo_Tensor>:$operands,
      Stablehlo_ReplicaGroups:$replica_groups,
      OptionalAttr<Stablehlo_ChannelHandle>:$channel_handle, UnitAttr:$use_global_device_ids,
      UnitAttr:$has_dynamic_root);
  let results = (outs Variadic<Stablehlo_Tensor>:$results);
  let regions = (region SizedRegion<1>:$computation);
  let hasVerifier = 1;
}

// The sum over replicas. The specification no longer has this operation.
def Stablehlo_CrossReplicaSumOp : Stablehlo_Op<"cross-replica-sum"> {
  let arguments = (ins Stablehlo_Tensor:$operand, I64ElementsAttr:$replica_groups);
  let results = (outs Stablehlo_Tensor:$result);
  let hasVerifier = 1;
}

def Stablehlo_ReduceScatterOp : Stablehlo_CollectiveOp<"reduce_scatter"> {
  let arguments = (ins Stablehlo_Tensor:$operand, I64Attr:$scatter_dimension,
      Stablehlo_ReplicaGroups:$replica_groups,
      OptionalAttr<Stablehlo_ChannelHandle>:$channel_handle, UnitAttr:$use_global_device_ids);
  let results = (outs Stablehlo_Tensor:$result);
  let regions = (region SizedRegion<1>:$computation);
  let hasVerifier = 1;
}

class Stablehlo_ProcessIdOp<string mnemonic> : Stablehlo_Op<mnemonic, [Pure]> {
  let results = (outs Stablehlo_UI32Scalar:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}
def Stablehlo_PartitionIdOp : Stablehlo_ProcessIdOp<"partition_id">;
def Stablehlo_ReplicaIdOp : Stablehlo_ProcessIdOp<"replica_id">;
