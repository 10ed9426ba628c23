// RUN: drumlin-opt --gemm-rewrite --loop-fusion %s | FileCheck %s

// Kernels never depend on each other in a cycle.

// The minimum's kernel rematerializes a broadcast of the dot. So the minimum depends on the dot, and its kernel can't compute the dot's
// operand.
// CHECK-LABEL: func.func @through_a_repeated_broadcast
func.func @through_a_repeated_broadcast(%x: tensor<2xf32>, %y: tensor<2xf32>, %init: tensor<f32>) -> (tensor<f32>, tensor<2xf32>) {
  // CHECK: %[[S:.*]] = plan.loop
  // CHECK-NEXT: stablehlo.sine
  // CHECK: %[[D:.*]] = plan.gemm({{.*}} = %[[S]] : tensor<2xf32>
  // CHECK: plan.loop({{.*}} = %[[D]] : tensor<f32>
  // CHECK: plan.loop({{.*}} = %[[D]] : tensor<f32>
  %0 = stablehlo.sine %y : tensor<2xf32>
  %1 = stablehlo.dot_general %x, %0, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<2xf32>
  %3 = stablehlo.minimum %2, %0 : tensor<2xf32>
  %4 = stablehlo.reduce(%2 init: %init) applies stablehlo.minimum across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  return %4, %3 : tensor<f32>, tensor<2xf32>
}

// From a training step. The convolution's kernel needs the subtraction. The kernel of the product that contains the broadcast needs a value
// computed from the convolution.
// CHECK-LABEL: func.func @through_a_merged_kernel
// CHECK: return
func.func @through_a_merged_kernel(%v1: tensor<8x1x1x512xf32>, %v2: tensor<1x1x256x512xf32>, %v4: tensor<8x2x2x256xf32>, %v5: tensor<1x1x1x256xf32>, %v6: tensor<8x2x2x256xf32>, %v8: tensor<1x1x1x256xf32>, %v9: tensor<f32>) -> (tensor<8x2x2x256xf32>, tensor<8x2x2x256xf32>, tensor<1x1x1x256xf32>) {
  %v10 = stablehlo.rsqrt %v5 : tensor<1x1x1x256xf32>
  %v11 = stablehlo.multiply %v8, %v10 : tensor<1x1x1x256xf32>
  %v12 = stablehlo.subtract %v4, %v6 : tensor<8x2x2x256xf32>
  %v13 = stablehlo.broadcast_in_dim %v11, dims = [0, 1, 2, 3] : (tensor<1x1x1x256xf32>) -> tensor<8x2x2x256xf32>
  %v14 = stablehlo.multiply %v12, %v13 : tensor<8x2x2x256xf32>
  %v15 = stablehlo.convolution(%v1, %v2) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x1x1x512xf32>, tensor<1x1x256x512xf32>) -> tensor<8x2x2x256xf32>
  %v18 = stablehlo.multiply %v12, %v15 : tensor<8x2x2x256xf32>
  %v19 = stablehlo.reduce(%v18 init: %v9) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x2x2x256xf32>, tensor<f32>) -> tensor<256xf32>
  %v20 = stablehlo.reshape %v19 : (tensor<256xf32>) -> tensor<1x1x1x256xf32>
  %v21 = stablehlo.broadcast_in_dim %v11, dims = [0, 1, 2, 3] : (tensor<1x1x1x256xf32>) -> tensor<8x2x2x256xf32>
  %v22 = stablehlo.multiply %v20, %v10 : tensor<1x1x1x256xf32>
  return %v14, %v21, %v22 : tensor<8x2x2x256xf32>, tensor<8x2x2x256xf32>, tensor<1x1x1x256xf32>
}

// Two kernels merge after a broadcast was rematerialized in one of them and stored by a third.
// CHECK-LABEL: func.func @repeated_before_a_merge
func.func @repeated_before_a_merge(%x: tensor<2x5xf32>, %p: tensor<2x5xi1>, %y: tensor<5xf32>) -> (tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>) {
  // CHECK: plan.loop({{.*}}) -> (tensor<2x5xf32>)
  // CHECK-NEXT: stablehlo.broadcast_in_dim
  // CHECK-NEXT: plan.yield
  // CHECK: plan.loop({{.*}}) -> (tensor<2x5xf32>, tensor<2x5xf32>)
  // CHECK: stablehlo.broadcast_in_dim
  // CHECK: stablehlo.minimum
  %0 = stablehlo.abs %x : tensor<2x5xf32>
  %1 = stablehlo.rsqrt %0 : tensor<2x5xf32>
  %2 = stablehlo.select %p, %0, %x : tensor<2x5xi1>, tensor<2x5xf32>
  %3 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<5xf32>) -> tensor<2x5xf32>
  %4 = stablehlo.minimum %1, %3 : tensor<2x5xf32>
  return %2, %4, %3 : tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>
}

// A slice is rematerialized in two kernels. One of them stores a reshape that the other rematerializes too. Each kernel reads its own copy
// of the slice.
// CHECK-LABEL: func.func @repeated_together
// CHECK-SAME: tensor<4xf32>, %[[Z:.*]]: tensor<4xf32>
func.func @repeated_together(%x: tensor<24xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>, %s: tensor<f32>, %init: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  // CHECK-NEXT: plan.loop(%[[A:.*]] = %[[Z]] : tensor<4xf32>) -> (tensor<f32>)
  // CHECK-NEXT: %[[S:.*]] = stablehlo.slice %[[A]]
  // CHECK-NEXT: stablehlo.reshape %[[S]]
  // CHECK: plan.loop(
  // CHECK: %[[T:.*]] = stablehlo.slice
  // CHECK-NEXT: stablehlo.reshape %[[T]]
  // CHECK: }
  // CHECK-NEXT: return
  %0 = stablehlo.reduce(%x init: %init) applies stablehlo.add across dimensions = [0] : (tensor<24xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.maximum %s, %init : tensor<f32>
  %2 = stablehlo.add %1, %0 : tensor<f32>
  %3 = stablehlo.minimum %s, %0 : tensor<f32>
  %4 = stablehlo.slice %z [3:4] : (tensor<4xf32>) -> tensor<1xf32>
  %5 = stablehlo.reshape %4 : (tensor<1xf32>) -> tensor<f32>
  %6 = stablehlo.minimum %1, %5 : tensor<f32>
  return %2, %3, %6, %5 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
