// RUN: drumlin-opt %s -split-input-file -verify-diagnostics

// One invalid program for each constraint on collectives.

// Groups must be the rows of a 2-dimensional tensor.
func.func @all_gather_i3(%a: tensor<4xf32>) {
  // expected-error@+1 {{(all_gather_i3)}}
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[0, 1]> : tensor<2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

// The dimension must be a dimension of the operand.
func.func @all_gather_c1(%a: tensor<4xf32>) {
  // expected-error@+1 {{(all_gather_c1)}}
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

// Each id must occur only once.
func.func @all_gather_c2(%a: tensor<4xf32>) {
  // expected-error@+1 {{(all_gather_c2)}}
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

// The ids must include all numbers up to the largest one.
func.func @all_gather_c4(%a: tensor<4xf32>) {
  // expected-error@+1 {{(all_gather_c4)}}
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

// Global ids need a channel.
func.func @all_gather_c5(%a: tensor<4xf32>) {
  // expected-error@+1 {{(all_gather_c5)}}
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

// The result's size must be a multiple of the operand's size.
func.func @all_gather_c6(%a: tensor<4xf32>) {
  // expected-error@+1 {{(all_gather_c6)}}
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<10xf32>
  return
}

// -----

// Operands without elements cannot be gathered to a result with elements.
func.func @all_gather_c6_of_nothing(%a: tensor<0xf32>) {
  // expected-error@+1 {{(all_gather_c6)}}
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<0xf32>) -> tensor<2xf32>
  return
}

// -----

// With global ids, groups must be listed.
func.func @all_reduce_c2(%a: tensor<4xf32>) {
  // expected-error@+1 {{(all_reduce_c2)}}
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<> : tensor<0x0xi64>, use_global_device_ids} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Groups must be the rows of a 2-dimensional tensor.
func.func @all_reduce_i2(%a: tensor<4xf32>) {
  // expected-error@+1 {{(all_reduce_i2)}}
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {replica_groups = dense<[0, 1]> : tensor<2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Each id must occur only once.
func.func @all_reduce_c1(%a: tensor<4xf32>) {
  // expected-error@+1 {{(all_reduce_c1)}}
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// The ids must include all numbers up to the largest one.
func.func @all_reduce_c3(%a: tensor<4xf32>) {
  // expected-error@+1 {{(all_reduce_c3)}}
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Global ids need a channel.
func.func @all_reduce_c4(%a: tensor<4xf32>) {
  // expected-error@+1 {{(all_reduce_c4)}}
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// The computation must combine two elements.
func.func @all_reduce_c5(%a: tensor<4xf32>) {
  // expected-error@+1 {{(all_reduce_c5)}}
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// The result must have the operand's shape.
func.func @all_reduce_c6(%a: tensor<4xf32>) {
  // expected-error@+1 {{(all_reduce_c6)}}
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// The result must have the computation's element type.
func.func @all_reduce_c7(%a: tensor<4xf32>) {
  // expected-error@+1 {{(all_reduce_c7)}}
  %0 = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

// Groups must be the rows of a 2-dimensional tensor.
func.func @reduce_scatter_i3(%a: tensor<4xf32>) {
  // expected-error@+1 {{(reduce_scatter_i3)}}
  %0 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[0, 1]> : tensor<2xi64>} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

// The size must be divisible by the number of processes.
func.func @reduce_scatter_c1(%a: tensor<5xf32>) {
  // expected-error@+1 {{(reduce_scatter_c1)}}
  %0 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<5xf32>) -> tensor<2xf32>
  return
}

// -----

// The dimension must be a dimension of the operand.
func.func @reduce_scatter_c2(%a: tensor<4xf32>) {
  // expected-error@+1 {{(reduce_scatter_c2)}}
  %0 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

// Each id must occur only once.
func.func @reduce_scatter_c3(%a: tensor<4xf32>) {
  // expected-error@+1 {{(reduce_scatter_c3)}}
  %0 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

// The ids must include all numbers up to the largest one.
func.func @reduce_scatter_c5(%a: tensor<4xf32>) {
  // expected-error@+1 {{(reduce_scatter_c5)}}
  %0 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

// Global ids need a channel.
func.func @reduce_scatter_c6(%a: tensor<4xf32>) {
  // expected-error@+1 {{(reduce_scatter_c6)}}
  %0 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

// The computation must combine two elements.
func.func @reduce_scatter_c7(%a: tensor<4xf32>) {
  // expected-error@+1 {{(reduce_scatter_c7)}}
  %0 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

// Each process must get an equal share.
func.func @reduce_scatter_c8(%a: tensor<4xf32>) {
  // expected-error@+1 {{(reduce_scatter_c8)}}
  %0 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// The result must have the computation's element type.
func.func @reduce_scatter_c9(%a: tensor<4xf32>) {
  // expected-error@+1 {{(reduce_scatter_c9)}}
  %0 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<2xf64>
  return
}

// -----

// Groups must be the rows of a 2-dimensional tensor.
func.func @all_to_all_i5(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{(all_to_all_i5)}}
  %0 = "stablehlo.all_to_all"(%a) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[0, 1]> : tensor<2xi64>} : (tensor<4x6xf32>) -> tensor<2x12xf32>
  return
}

// -----

// The split dimension must be a dimension of the operand.
func.func @all_to_all_c1(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{(all_to_all_c1)}}
  %0 = "stablehlo.all_to_all"(%a) {split_dimension = 2 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x6xf32>) -> tensor<2x12xf32>
  return
}

// -----

// The size must be divisible by the number of parts.
func.func @all_to_all_c2(%a: tensor<5x6xf32>) {
  // expected-error@+1 {{(all_to_all_c2)}}
  %0 = "stablehlo.all_to_all"(%a) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<5x6xf32>) -> tensor<2x12xf32>
  return
}

// -----

// The concatenated dimension must be a dimension of the operand.
func.func @all_to_all_c3(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{(all_to_all_c3)}}
  %0 = "stablehlo.all_to_all"(%a) {split_dimension = 0 : i64, concat_dimension = 2 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x6xf32>) -> tensor<2x12xf32>
  return
}

// -----

// The operand must be split into at least one part.
func.func @all_to_all_c4(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{(all_to_all_c4)}}
  %0 = "stablehlo.all_to_all"(%a) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x6xf32>) -> tensor<2x12xf32>
  return
}

// -----

// Each id must occur only once.
func.func @all_to_all_c5(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{(all_to_all_c5)}}
  %0 = "stablehlo.all_to_all"(%a) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<4x6xf32>) -> tensor<2x12xf32>
  return
}

// -----

// The ids must include all numbers up to the largest one.
func.func @all_to_all_c7(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{(all_to_all_c7)}}
  %0 = "stablehlo.all_to_all"(%a) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<4x6xf32>) -> tensor<2x12xf32>
  return
}

// -----

// The number of processes in a group must equal the number of parts.
func.func @all_to_all_c8(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{(all_to_all_c8)}}
  %0 = "stablehlo.all_to_all"(%a) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>} : (tensor<4x6xf32>) -> tensor<2x12xf32>
  return
}

// -----

// The result must have the shape of the concatenated parts.
func.func @all_to_all_c9(%a: tensor<4x6xf32>) {
  // expected-error@+1 {{(all_to_all_c9)}}
  %0 = "stablehlo.all_to_all"(%a) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

// Each id must occur only once.
func.func @collective_broadcast_c1(%a: tensor<4xf32>) {
  // expected-error@+1 {{(collective_broadcast_c1)}}
  %0 = "stablehlo.collective_broadcast"(%a) {replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Ids must not be negative.
func.func @collective_broadcast_c2(%a: tensor<4xf32>) {
  // expected-error@+1 {{(collective_broadcast_c2)}}
  %0 = "stablehlo.collective_broadcast"(%a) {replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// The result must have the operand's type.
func.func @collective_broadcast_c3(%a: tensor<4xf32>) {
  // expected-error@+1 {{(collective_broadcast_c3)}}
  %0 = "stablehlo.collective_broadcast"(%a) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// Each operand needs a root.
func.func @collective_broadcast_c4(%a: tensor<4xf32>, %r: tensor<2xi32>) {
  // expected-error@+1 {{(collective_broadcast_c4)}}
  %0 = "stablehlo.collective_broadcast"(%a, %r) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root} : (tensor<4xf32>, tensor<2xi32>) -> tensor<4xf32>
  return
}

// -----

// Each operand needs a result.
func.func @collective_broadcast_c5(%a: tensor<4xf32>) {
  // expected-error@+1 {{(collective_broadcast_c5)}}
  %0:2 = "stablehlo.collective_broadcast"(%a) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// Groups must be the rows of a 2-dimensional tensor.
func.func @collective_reduce_i2(%a: tensor<4xf32>) {
  // expected-error@+1 {{(collective_reduce_i2)}}
  %0 = "stablehlo.collective_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {replica_groups = dense<[0, 1]> : tensor<2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Each id must occur only once.
func.func @collective_reduce_c1(%a: tensor<4xf32>) {
  // expected-error@+1 {{(collective_reduce_c1)}}
  %0 = "stablehlo.collective_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// The ids must include all numbers up to the largest one.
func.func @collective_reduce_c2(%a: tensor<4xf32>) {
  // expected-error@+1 {{(collective_reduce_c2)}}
  %0 = "stablehlo.collective_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Global ids need a channel.
func.func @collective_reduce_i3(%a: tensor<4xf32>) {
  // expected-error@+1 {{(collective_reduce_i3)}}
  %0 = "stablehlo.collective_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// The result must have the operand's shape.
func.func @collective_reduce_c3(%a: tensor<4xf32>) {
  // expected-error@+1 {{(collective_reduce_c3)}}
  %0 = "stablehlo.collective_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// The computation must combine two elements.
func.func @collective_reduce_c4(%a: tensor<4xf32>) {
  // expected-error@+1 {{(collective_reduce_c4)}}
  %0 = "stablehlo.collective_reduce"(%a) ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// source_target_pairs must consist of pairs of ids.
func.func @collective_permute_c1(%a: tensor<4xf32>) {
  // expected-error@+1 {{(collective_permute_c1)}}
  %0 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Each process must send at most once.
func.func @collective_permute_c2(%a: tensor<4xf32>) {
  // expected-error@+1 {{(collective_permute_c2)}}
  %0 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Each process must receive at most once.
func.func @collective_permute_c3(%a: tensor<4xf32>) {
  // expected-error@+1 {{(collective_permute_c3)}}
  %0 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Ids must not be negative.
func.func @collective_permute_c4(%a: tensor<4xf32>) {
  // expected-error@+1 {{(collective_permute_c4)}}
  %0 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// The result must have the operand's type.
func.func @collective_permute_c5(%a: tensor<4xf32>) {
  // expected-error@+1 {{(collective_permute_c5)}}
  %0 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// Groups must be the rows of a 2-dimensional tensor.
func.func @cross_replica_sum_i2(%a: tensor<4xf32>) {
  // expected-error@+1 {{(cross-replica-sum_i2)}}
  %0 = "stablehlo.cross-replica-sum"(%a) {replica_groups = dense<[0, 1]> : tensor<2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// Each id must occur only once.
func.func @cross_replica_sum_c1(%a: tensor<4xf32>) {
  // expected-error@+1 {{(cross-replica-sum_c1)}}
  %0 = "stablehlo.cross-replica-sum"(%a) {replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// The ids must include all numbers up to the largest one.
func.func @cross_replica_sum_c2(%a: tensor<4xf32>) {
  // expected-error@+1 {{(cross-replica-sum_c2)}}
  %0 = "stablehlo.cross-replica-sum"(%a) {replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// The result must have the operand's type.
func.func @cross_replica_sum_c3(%a: tensor<4xf32>) {
  // expected-error@+1 {{(cross-replica-sum_c3)}}
  %0 = "stablehlo.cross-replica-sum"(%a) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<5xf32>
  return
}
