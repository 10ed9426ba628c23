// RUN: drumlin-opt %s --split-bitcasts | FileCheck %s

// The first part of a word is the least significant.
// CHECK-LABEL: func.func @into_parts
// CHECK: %[[WORD:.*]] = stablehlo.bitcast_convert %arg0 : (tensor<3xf32>) -> tensor<3xui32>
// CHECK: %[[WORDS:.*]] = stablehlo.broadcast_in_dim %[[WORD]], dims = [0] : (tensor<3xui32>) -> tensor<3x4xui32>
// CHECK: %[[PART:.*]] = stablehlo.iota dim = 1 : tensor<3x4xui32>
// CHECK: %[[FIRST:.*]] = stablehlo.multiply %[[PART]], %{{.*}}
// CHECK: %[[SHIFTED:.*]] = stablehlo.shift_right_logical %[[WORDS]], %[[FIRST]]
// CHECK: %[[CUT:.*]] = stablehlo.convert %[[SHIFTED]] : (tensor<3x4xui32>) -> tensor<3x4xui8>
// CHECK: stablehlo.bitcast_convert %[[CUT]] : (tensor<3x4xui8>) -> tensor<3x4xi8>
func.func @into_parts(%x: tensor<3xf32>) -> tensor<3x4xi8> {
  %0 = stablehlo.bitcast_convert %x : (tensor<3xf32>) -> tensor<3x4xi8>
  return %0 : tensor<3x4xi8>
}

// CHECK-LABEL: func.func @of_parts
// CHECK: %[[WIDE:.*]] = stablehlo.convert %{{.*}} : (tensor<3x2xui4>) -> tensor<3x2xui8>
// CHECK: %[[SHIFTED:.*]] = stablehlo.shift_left %[[WIDE]], %{{.*}}
// CHECK: stablehlo.reduce(%[[SHIFTED]] init: %{{.*}}) applies stablehlo.or across dimensions = [1]
func.func @of_parts(%x: tensor<3x2xi4>) -> tensor<3xf8E4M3FN> {
  %0 = stablehlo.bitcast_convert %x : (tensor<3x2xi4>) -> tensor<3xf8E4M3FN>
  return %0 : tensor<3xf8E4M3FN>
}

// CHECK-LABEL: func.func @of_one_width
// CHECK-NEXT: stablehlo.bitcast_convert
func.func @of_one_width(%x: tensor<3xf32>) -> tensor<3xi32> {
  %0 = stablehlo.bitcast_convert %x : (tensor<3xf32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
