// RUN: drumlin-opt --split-dilations %s | FileCheck %s

// The kernel has as many taps as the dilation. Each phase has one tap, so all phases are features of one convolution.
// CHECK-LABEL: func.func @patches
// CHECK: %[[TAPS:.*]] = stablehlo.reshape %{{.*}} -> tensor<1x1x768x64xf32>
// CHECK: %[[R:.*]] = stablehlo.convolution(%arg0, %[[TAPS]]) {{.*}}window = {stride = [1, 1], pad = {{\[\[}}0, 0], [0, 0]], rhs_dilate = [1, 1]} {{.*}} -> tensor<2x7x7x768xf32>
// CHECK: %[[SPLIT:.*]] = stablehlo.reshape %[[R]] : (tensor<2x7x7x768xf32>) -> tensor<2x7x7x1x16x16x3xf32>
// CHECK: %[[SPREAD:.*]] = stablehlo.transpose %[[SPLIT]], dims = [0, 1, 4, 2, 5, 3, 6]
// CHECK: %[[WHOLE:.*]] = stablehlo.reshape %[[SPREAD]] : {{.*}} -> tensor<2x112x112x3xf32>
// CHECK: return %[[WHOLE]]
func.func @patches(%x: tensor<2x7x7x64xf32>, %w: tensor<16x16x3x64xf32>) -> tensor<2x112x112x3xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[15, 15], [15, 15]], lhs_dilate = [16, 16], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x7x64xf32>, tensor<16x16x3x64xf32>) -> tensor<2x112x112x3xf32>
  return %0 : tensor<2x112x112x3xf32>
}

// The kernel has one tap. Phases without a tap are zeros, which padding inserts.
// CHECK-LABEL: func.func @one_tap
// CHECK: %[[R:.*]] = stablehlo.convolution(%arg0, %{{.*}}) {{.*}} -> tensor<2x8x8xf32>
// CHECK: stablehlo.pad %{{.*}}, %{{.*}}, low = [0, 0, 0, 0, 0], high = [0, 0, 2, 0, 0], interior = [0, 0, 0, 0, 0]
// CHECK: stablehlo.slice %{{.*}} [0:2, 0:22, 0:8]
func.func @one_tap(%x: tensor<2x8x4xf32>, %w: tensor<1x4x8xf32>) -> tensor<2x22x8xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {lhs_dilate = [3]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x4xf32>, tensor<1x4x8xf32>) -> tensor<2x22x8xf32>
  return %0 : tensor<2x22x8xf32>
}

// If the dilation divides the stride, there is a single phase, which needs no interleaving.
// CHECK-LABEL: func.func @one_phase
// CHECK: stablehlo.slice %arg1 [0:3:2, 0:4, 0:8]
// CHECK: stablehlo.convolution({{.*}} window = {stride = [2], pad = {{\[\[}}0, 0]], rhs_dilate = [1]}
// CHECK-NOT: transpose
// CHECK: return
func.func @one_phase(%x: tensor<2x8x4xf32>, %w: tensor<3x4x8xf32>) -> tensor<2x4x8xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [4], lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x4xf32>, tensor<3x4x8xf32>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// Unchanged: no dilation, a size of 0, and a type whose padding isn't zero.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: stablehlo.convolution
// CHECK-NOT: stablehlo.convolution
// CHECK: return
func.func @others(%x: tensor<2x8x4xf32>, %w: tensor<3x4x8xf32>, %n: tensor<2x0x4xf32>, %s: tensor<2x8x4xf8E8M0FNU>) -> (tensor<2x6x8xf32>, tensor<2x2x8xf32>, tensor<2x13x8xf32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x4xf32>, tensor<3x4x8xf32>) -> tensor<2x6x8xf32>
  %1 = stablehlo.convolution(%n, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[2, 2]], lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x0x4xf32>, tensor<3x4x8xf32>) -> tensor<2x2x8xf32>
  %2 = stablehlo.convolution(%s, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x4xf8E8M0FNU>, tensor<3x4x8xf32>) -> tensor<2x13x8xf32>
  return %0, %1, %2 : tensor<2x6x8xf32>, tensor<2x2x8xf32>, tensor<2x13x8xf32>
}
