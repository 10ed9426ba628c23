// RUN: drumlin run %s --interpret --replicas 2 --partitions 2

// Two replicas of two partitions.

func.func @main() {
  // Each process holds [v, v + 100] with v = 10 * replica + partition.
  %r1 = stablehlo.replica_id : tensor<ui32>
  %r2 = stablehlo.partition_id : tensor<ui32>
  %r3 = stablehlo.convert %r1 : (tensor<ui32>) -> tensor<i32>
  %r4 = stablehlo.convert %r2 : (tensor<ui32>) -> tensor<i32>
  %c5 = stablehlo.constant dense<10> : tensor<i32>
  %r6 = stablehlo.multiply %r3, %c5 : tensor<i32>
  %r7 = stablehlo.add %r6, %r4 : tensor<i32>
  %r8 = stablehlo.broadcast_in_dim %r7, dims = [] : (tensor<i32>) -> tensor<2xi32>
  %c9 = stablehlo.constant dense<[0, 100]> : tensor<2xi32>
  %r10 = stablehlo.add %r8, %c9 : tensor<2xi32>

  // Sums over replicas of one partition, over all processes, and over processes by their global ids.
  %r11 = stablehlo.add %r4, %r4 : tensor<i32>
  %r12 = stablehlo.broadcast_in_dim %r11, dims = [] : (tensor<i32>) -> tensor<2xi32>
  %c13 = stablehlo.constant dense<[10, 210]> : tensor<2xi32>
  %r14 = stablehlo.add %r12, %c13 : tensor<2xi32>
  %r15 = "stablehlo.all_reduce"(%r10) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%r15, %r14) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()
  %r16 = "stablehlo.all_reduce"(%r10) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<2xi32>) -> tensor<2xi32>
  %c17 = stablehlo.constant dense<[22, 422]> : tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%r16, %c17) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()
  %r18 = "stablehlo.all_reduce"(%r10) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<[[0, 3], [1, 2]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 0>, use_global_device_ids} : (tensor<2xi32>) -> tensor<2xi32>
  %c19 = stablehlo.constant dense<[11, 211]> : tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%r18, %c19) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()
  %r20 = "stablehlo.cross-replica-sum"(%r10) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%r20, %r14) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()

  // The same groups, given as axes of a mesh.
  %r21 = "stablehlo.all_reduce"(%r10) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "r", size = 2>, <name = "p", size = 2>]>, axes = [#stablehlo.axis_ref<name = "r">]>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 0>, use_global_device_ids} : (tensor<2xi32>) -> tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%r21, %r14) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()

  // Gathers parts, scatters sums, and exchanges parts.
  %r22 = "stablehlo.all_gather"(%r10) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 4, type = 0>, use_global_device_ids} : (tensor<2xi32>) -> tensor<8xi32>
  %c23 = stablehlo.constant dense<[0, 100, 1, 101, 10, 110, 11, 111]> : tensor<8xi32>
  stablehlo.custom_call @check.expect_eq(%r22, %c23) {has_side_effect = true} : (tensor<8xi32>, tensor<8xi32>) -> ()
  %r24 = "stablehlo.reduce_scatter"(%r10) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<1xi32>
  %c25 = stablehlo.constant dense<200> : tensor<i32>
  %r26 = stablehlo.multiply %r3, %c25 : tensor<i32>
  %c27 = stablehlo.constant dense<10> : tensor<i32>
  %r28 = stablehlo.add %r11, %c27 : tensor<i32>
  %r29 = stablehlo.add %r26, %r28 : tensor<i32>
  %r30 = stablehlo.reshape %r24 : (tensor<1xi32>) -> tensor<i32>
  stablehlo.custom_call @check.expect_eq(%r30, %r29) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
  %r31 = "stablehlo.all_to_all"(%r10) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>
  %c32 = stablehlo.constant dense<100> : tensor<i32>
  %r33 = stablehlo.multiply %r3, %c32 : tensor<i32>
  %r34 = stablehlo.add %r33, %r4 : tensor<i32>
  %r35 = stablehlo.broadcast_in_dim %r34, dims = [] : (tensor<i32>) -> tensor<2xi32>
  %c36 = stablehlo.constant dense<[0, 10]> : tensor<2xi32>
  %r37 = stablehlo.add %r35, %c36 : tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%r31, %r37) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()

  // Broadcasts from a group's first replica and from a dynamic root, and a reduction to a root.
  %r38 = "stablehlo.collective_broadcast"(%r10) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>
  %r39 = stablehlo.broadcast_in_dim %r4, dims = [] : (tensor<i32>) -> tensor<2xi32>
  %c40 = stablehlo.constant dense<[10, 110]> : tensor<2xi32>
  %r41 = stablehlo.add %r39, %c40 : tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%r38, %r41) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()
  %c42 = stablehlo.constant dense<[1]> : tensor<1xi32>
  %r43 = "stablehlo.collective_broadcast"(%r10, %c42) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, has_dynamic_root} : (tensor<2xi32>, tensor<1xi32>) -> tensor<2xi32>
  %r44 = stablehlo.broadcast_in_dim %r4, dims = [] : (tensor<i32>) -> tensor<2xi32>
  %c45 = stablehlo.constant dense<[0, 100]> : tensor<2xi32>
  %r46 = stablehlo.add %r44, %c45 : tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%r43, %r46) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()
  %r47 = "stablehlo.collective_reduce"(%r10) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>
  %r48 = stablehlo.broadcast_in_dim %r3, dims = [] : (tensor<i32>) -> tensor<2xi32>
  %r49 = stablehlo.multiply %r14, %r48 : tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%r47, %r49) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()

  // Each partition sends to the next one; partition 0 receives nothing.
  %r50 = "stablehlo.collective_permute"(%r10) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 5, type = 0>} : (tensor<2xi32>) -> tensor<2xi32>
  %r51 = stablehlo.broadcast_in_dim %r6, dims = [] : (tensor<i32>) -> tensor<2xi32>
  %c52 = stablehlo.constant dense<[0, 100]> : tensor<2xi32>
  %r53 = stablehlo.add %r51, %c52 : tensor<2xi32>
  %r54 = stablehlo.broadcast_in_dim %r4, dims = [] : (tensor<i32>) -> tensor<2xi32>
  %r55 = stablehlo.multiply %r53, %r54 : tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%r50, %r55) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()

  // Two replicas send each other their values on one channel.
  %t = stablehlo.create_token : !stablehlo.token
  %r56 = "stablehlo.send"(%r7, %t) {channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
  %r57:2 = "stablehlo.recv"(%r56) {channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
  %r58 = stablehlo.add %r7, %r57#0 : tensor<i32>
  %c59 = stablehlo.constant dense<10> : tensor<i32>
  %r60 = stablehlo.add %r11, %c59 : tensor<i32>
  stablehlo.custom_call @check.expect_eq(%r58, %r60) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
  return
}
