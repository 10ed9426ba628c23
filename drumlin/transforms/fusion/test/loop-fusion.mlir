// RUN: drumlin-opt --loop-fusion --split-input-file %s | FileCheck %s

// Operations without a kernel are fused into loops.

// A chain of pointwise operations is one kernel with one result.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: %[[X:.*]]: tensor<64xf32>
func.func @chain(%x: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK-NEXT: %[[L:.*]] = plan.loop(%[[A:.*]] = %[[X]] : tensor<64xf32>) -> (tensor<64xf32>)
  // CHECK-NEXT: %[[N:.*]] = stablehlo.negate %[[A]]
  // CHECK-NEXT: %[[E:.*]] = stablehlo.exponential %[[N]]
  // CHECK-NEXT: plan.yield %[[E]]
  // CHECK: return %[[L]]
  %0 = stablehlo.negate %x : tensor<64xf32>
  %1 = stablehlo.exponential %0 : tensor<64xf32>
  return %1 : tensor<64xf32>
}

// -----

// Shape operations are free: broadcasts, slices and transposes are index arithmetic of the loop.
// CHECK-LABEL: func.func @shape_operations
func.func @shape_operations(%x: tensor<4x64xf32>, %y: tensor<8xf32>) -> tensor<32x8xf32> {
  // CHECK-NEXT: plan.loop
  // CHECK-DAG: stablehlo.slice
  // CHECK-DAG: stablehlo.transpose
  // CHECK-DAG: stablehlo.reshape
  // CHECK-DAG: stablehlo.broadcast_in_dim
  // CHECK: stablehlo.add
  // CHECK: }
  // CHECK-NEXT: return
  %0 = stablehlo.reshape %x : (tensor<4x64xf32>) -> tensor<4x8x8xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0, 2] : (tensor<4x8x8xf32>) -> tensor<8x4x8xf32>
  %2 = stablehlo.reshape %1 : (tensor<8x4x8xf32>) -> tensor<32x8xf32>
  %3 = stablehlo.slice %2 [0:32, 0:8] : (tensor<32x8xf32>) -> tensor<32x8xf32>
  %4 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<8xf32>) -> tensor<32x8xf32>
  %5 = stablehlo.add %3, %4 : tensor<32x8xf32>
  return %5 : tensor<32x8xf32>
}

// -----

// A reduction absorbs its producers and is the root of its kernel.
// CHECK-LABEL: func.func @reduction_with_producer
func.func @reduction_with_producer(%x: tensor<4x64xf32>) -> tensor<4xf32> {
  // CHECK: plan.loop({{.*}}) -> (tensor<4xf32>) {
  // CHECK: stablehlo.exponential
  // CHECK: stablehlo.reduce
  // CHECK: }
  // CHECK-NEXT: return
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.exponential %x : tensor<4x64xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x64xf32>, tensor<f32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// A cheap gather of few rows joins its user.
// CHECK-LABEL: func.func @dynamic_slice
func.func @dynamic_slice(%x: tensor<64x8xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<1x8xf32> {
  // CHECK-NEXT: plan.loop
  // CHECK: stablehlo.dynamic_slice
  // CHECK: stablehlo.negate
  // CHECK: }
  // CHECK-NEXT: return
  %0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [1, 8] : (tensor<64x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
  %1 = stablehlo.negate %0 : tensor<1x8xf32>
  return %1 : tensor<1x8xf32>
}

// -----

// A value that a kernel of another kind needs is stored: it becomes an additional result of the same traversal.
// CHECK-LABEL: func.func @other_user
func.func @other_user(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK: %[[L:.*]]:2 = plan.loop
  // CHECK-NEXT: %[[E:.*]] = stablehlo.exponential
  // CHECK-NEXT: %[[N:.*]] = stablehlo.negate %[[E]]
  // CHECK-NEXT: plan.yield %[[E]], %[[N]]
  // CHECK: plan.gemm(%{{.*}} = %[[L]]#0 :
  // CHECK: return %{{.*}}, %[[L]]#1
  %0 = stablehlo.exponential %x : tensor<8x8xf32>
  %1 = plan.gemm(%a = %0 : tensor<8x8xf32>) -> (tensor<8x8xf32>) {
    %3 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    plan.yield %3 : tensor<8x8xf32>
  }
  %2 = stablehlo.negate %0 : tensor<8x8xf32>
  return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// A value is computed by a separate kernel if fusing it would make kernels depend on each other.
// CHECK-LABEL: func.func @other_user_between
func.func @other_user_between(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: %[[E:.*]] = plan.loop({{.*}}) -> (tensor<8x8xf32>) {
  // CHECK-NEXT: stablehlo.exponential
  // CHECK: %[[G:.*]] = plan.gemm(%{{.*}} = %[[E]] :
  // CHECK: plan.loop(
  // CHECK-DAG: stablehlo.add
  %0 = stablehlo.exponential %x : tensor<8x8xf32>
  %1 = plan.gemm(%a = %0 : tensor<8x8xf32>) -> (tensor<8x8xf32>) {
    %3 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    plan.yield %3 : tensor<8x8xf32>
  }
  %2 = stablehlo.add %0, %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// Users of one shape become one kernel with several results, so shared producers are computed once.
// CHECK-LABEL: func.func @several_roots
func.func @several_roots(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  // CHECK-NEXT: plan.loop({{.*}}) -> (tensor<64xf32>, tensor<64xf32>)
  // CHECK: stablehlo.exponential
  // CHECK-NOT: stablehlo.exponential
  // CHECK: return
  %0 = stablehlo.exponential %x : tensor<64xf32>
  %1 = stablehlo.negate %0 : tensor<64xf32>
  %2 = stablehlo.abs %0 : tensor<64xf32>
  return %1, %2 : tensor<64xf32>, tensor<64xf32>
}

// -----

// Users of different shapes stay in two kernels, so shared producers are stored.
// CHECK-LABEL: func.func @several_shapes
func.func @several_shapes(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<32x8xf32>) {
  // CHECK: stablehlo.exponential
  // CHECK-NOT: stablehlo.exponential
  // CHECK: return
  %0 = stablehlo.exponential %x : tensor<64x64xf32>
  %1 = stablehlo.negate %0 : tensor<64x64xf32>
  %2 = stablehlo.slice %0 [0:32, 0:8] : (tensor<64x64xf32>) -> tensor<32x8xf32>
  %3 = stablehlo.abs %2 : tensor<32x8xf32>
  return %1, %3 : tensor<64x64xf32>, tensor<32x8xf32>
}

// -----

// A value that is used twice at one index is computed once.
// CHECK-LABEL: func.func @used_twice
func.func @used_twice(%x: tensor<4096x4096xf32>, %one: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  // CHECK: plan.loop
  // CHECK: stablehlo.exponential
  // CHECK-NOT: plan.loop
  // CHECK: return
  %0 = stablehlo.exponential %x : tensor<4096x4096xf32>
  %1 = stablehlo.add %one, %0 : tensor<4096x4096xf32>
  %2 = stablehlo.divide %0, %1 : tensor<4096x4096xf32>
  return %2 : tensor<4096x4096xf32>
}

// -----

// A value used at two indices would be computed twice, so it is stored.
// CHECK-LABEL: func.func @used_at_two_indices
func.func @used_at_two_indices(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  // CHECK: plan.loop
  // CHECK: stablehlo.exponential
  // CHECK: plan.loop
  // CHECK: stablehlo.divide
  %0 = stablehlo.exponential %x : tensor<4096x4096xf32>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<4096x4096xf32>
  %2 = stablehlo.divide %0, %1 : tensor<4096x4096xf32>
  return %2 : tensor<4096x4096xf32>
}

// -----

// An expensive value that a broadcast repeats is computed once, in a separate kernel.
// CHECK-LABEL: func.func @repeated
func.func @repeated(%x: tensor<4096xf32>, %y: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  // CHECK: %[[E:.*]] = plan.loop({{.*}}) -> (tensor<4096xf32>)
  // CHECK: stablehlo.exponential
  // CHECK: plan.loop({{.*}}= %[[E]] :
  // CHECK-NOT: stablehlo.exponential
  // CHECK: stablehlo.multiply
  %0 = stablehlo.exponential %x : tensor<4096xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<4096xf32>) -> tensor<4096x4096xf32>
  %2 = stablehlo.multiply %1, %y : tensor<4096x4096xf32>
  %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %3 : tensor<4096x4096xf32>
}

// -----

// A barrier keeps the operations before it and after it in separate kernels.
// CHECK-LABEL: func.func @barrier
// CHECK-SAME: %[[X:.*]]: tensor<64xf32>
func.func @barrier(%x: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: %[[N:.*]] = plan.loop
  // CHECK-NEXT: stablehlo.negate
  // CHECK-NEXT: plan.yield
  // CHECK: plan.loop
  // CHECK-NOT: stablehlo.negate
  // CHECK: stablehlo.exponential
  %0 = stablehlo.negate %x : tensor<64xf32>
  %1 = stablehlo.optimization_barrier %0 : tensor<64xf32>
  %2 = stablehlo.exponential %1 : tensor<64xf32>
  return %2 : tensor<64xf32>
}

// -----

// A reshape alone needs no kernel.
// CHECK-LABEL: func.func @reshape_alone
// CHECK-SAME: %[[X:.*]]: tensor<4x2xf32>
func.func @reshape_alone(%x: tensor<4x2xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: stablehlo.reshape %[[X]]
  // CHECK-NEXT: return
  %0 = stablehlo.reshape %x : (tensor<4x2xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A transpose alone moves bytes, so it needs a kernel.
// CHECK-LABEL: func.func @transpose_alone
func.func @transpose_alone(%x: tensor<4x2xf32>) -> tensor<2x4xf32> {
  // CHECK-NEXT: plan.loop
  // CHECK-NEXT: stablehlo.transpose
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// Large constants are stored in the image once and are inputs; small ones are part of the code.
// CHECK-LABEL: func.func @constants
func.func @constants(%x: tensor<100xi32>) -> tensor<100xi32> {
  // CHECK: %[[C:.*]] = stablehlo.constant dense<[{{.*}}]> : tensor<100xi32>
  // CHECK: plan.loop({{.*}}= %[[C]] : tensor<100xi32>)
  // CHECK: stablehlo.constant dense<7>
  // CHECK: stablehlo.add
  %large = stablehlo.constant dense<[
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33,
    34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64,
    65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95,
    96, 97, 98, 0]> : tensor<100xi32>
  %small = stablehlo.constant dense<7> : tensor<i32>
  %0 = stablehlo.broadcast_in_dim %small, dims = [] : (tensor<i32>) -> tensor<100xi32>
  %1 = stablehlo.add %x, %large : tensor<100xi32>
  %2 = stablehlo.multiply %1, %0 : tensor<100xi32>
  return %2 : tensor<100xi32>
}

// -----

// Conditions and bodies of loops have separate kernels. Constants that only kernels use are removed.
// CHECK-LABEL: func.func @inside_a_loop
func.func @inside_a_loop(%x: tensor<i32>) -> tensor<i32> {
  // CHECK-NEXT: stablehlo.while(%[[I:.*]] =
  // CHECK: cond {
  // CHECK-NEXT: plan.loop(%{{.*}} = %[[I]] : tensor<i32>) -> (tensor<i1>)
  // CHECK: stablehlo.compare
  // CHECK: do {
  // CHECK-NEXT: plan.loop(%{{.*}} = %[[I]] : tensor<i32>) -> (tensor<i32>)
  // CHECK: stablehlo.add
  %c = stablehlo.constant dense<7> : tensor<i32>
  %0 = stablehlo.while(%i = %x) : tensor<i32>
  cond {
    %1 = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %c : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }
  return %0 : tensor<i32>
}

// -----

// Unused values are not computed, nor are values that only they use.
// CHECK-LABEL: func.func @unused
// CHECK-SAME: %[[X:.*]]: tensor<64xf32>
func.func @unused(%x: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = stablehlo.negate %x : tensor<64xf32>
  %1 = stablehlo.exponential %0 : tensor<64xf32>
  return %x : tensor<64xf32>
}
