// RUN: drumlin-opt %s --decompose-operations --split-input-file | FileCheck %s

module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 2 : i32} {
  // Each process receives the operands of its group, and adds them up in the group's order.
  // CHECK-LABEL: func.func @all_reduce
  // CHECK: %[[E:.*]] = plan.host_call <exchange> "stablehlo.all_reduce on channel 0"(%arg0) as (tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK-SAME: config = {sources = array<i64: 2, 0, 3, 1, 2, 0, 3, 1>}
  // CHECK-SAME: has_side_effect
  // CHECK: %[[A:.*]] = stablehlo.slice %[[E]] [0:1, 0:3]
  // CHECK: %[[X:.*]] = stablehlo.reshape %[[A]]
  // CHECK: %[[B:.*]] = stablehlo.slice %[[E]] [1:2, 0:3]
  // CHECK: %[[Y:.*]] = stablehlo.reshape %[[B]]
  // CHECK: stablehlo.add %[[X]], %[[Y]] : tensor<3xf32>
  func.func @all_reduce(%a: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }

  // Each process receives only the parts that are for it.
  // CHECK-LABEL: func.func @all_to_all
  // CHECK: %[[P:.*]] = stablehlo.transpose %{{.*}}, dims = [1, 0, 2]
  // CHECK: plan.host_call <exchange> "stablehlo.all_to_all on channel 1"(%[[P]]) as (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  // CHECK-SAME: config = {blocks = array<i64: 0, 1, 0, 1>, sources = array<i64: 0, 1, 0, 1, 2, 3, 2, 3>}
  func.func @all_to_all(%a: tensor<4x6xf32>) -> tensor<8x3xf32> {
    %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}>
      : (tensor<4x6xf32>) -> tensor<8x3xf32>
    return %0 : tensor<8x3xf32>
  }

  // No process sends to processes 0 and 1, whose source is -1.
  // CHECK-LABEL: func.func @permute
  // CHECK-NEXT: plan.host_call <exchange> "stablehlo.collective_permute on channel 0"(%arg0) as (tensor<3xf32>) -> tensor<3xf32>
  // CHECK-SAME: config = {sources = array<i64: -1, -1, 0, 1>}
  func.func @permute(%a: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }

  // CHECK-LABEL: func.func @ids
  // CHECK-NEXT: plan.host_call <process> "replica"() as () -> tensor<ui32>
  // CHECK-NEXT: plan.host_call <process> "partition"() as () -> tensor<ui32>
  func.func @ids() -> (tensor<ui32>, tensor<ui32>) {
    %0 = stablehlo.replica_id : tensor<ui32>
    %1 = stablehlo.partition_id : tensor<ui32>
    return %0, %1 : tensor<ui32>, tensor<ui32>
  }
}
