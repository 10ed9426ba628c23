// RUN: drumlin-opt --factor-scales %s | FileCheck %s

// Scales of a dot's operands become scales of its result if the result has fewer elements.

// A weight's scales, one per column.
// CHECK-LABEL: func.func @columns
// CHECK: %[[W:.*]] = stablehlo.convert %arg1
// CHECK: %[[DOT:.*]] = stablehlo.dot_general %arg0, %[[W]]
// CHECK: %[[S:.*]] = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<32xf32>) -> tensor<4x32xf32>
// CHECK: %[[R:.*]] = stablehlo.multiply %[[DOT]], %[[S]]
// CHECK: return %[[R]]
func.func @columns(%x: tensor<4x64xf32>, %w: tensor<64x32xi8>, %s: tensor<32xf32>) -> tensor<4x32xf32> {
  %0 = stablehlo.convert %w : (tensor<64x32xi8>) -> tensor<64x32xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<32xf32>) -> tensor<64x32xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<64x32xf32>
  %3 = stablehlo.dot_general %x, %2, contracting_dims = [1] x [0] : (tensor<4x64xf32>, tensor<64x32xf32>) -> tensor<4x32xf32>
  return %3 : tensor<4x32xf32>
}

// Both operands have scales, which are moved one after another. A dimension of size 1 along the contracting dimension is dropped. A splat
// has no dimensions.
// CHECK-LABEL: func.func @both
// CHECK: %[[DOT:.*]] = stablehlo.dot_general %arg0, %arg1, batching_dims = [1] x [0]
// CHECK-DAG: stablehlo.constant dense<2.500000e-01> : tensor<f32>
// CHECK-DAG: stablehlo.reshape %arg2 : (tensor<3x1x8xf32>) -> tensor<3x8xf32>
// CHECK-DAG: stablehlo.broadcast_in_dim %{{.*}}, dims = [0, 2] : (tensor<3x8xf32>) -> tensor<3x4x8xf32>
// CHECK-DAG: stablehlo.broadcast_in_dim %{{.*}}, dims = [] : (tensor<f32>) -> tensor<3x4x8xf32>
func.func @both(%x: tensor<4x3x64xf32>, %y: tensor<3x64x8xf32>, %s: tensor<3x1x8xf32>) -> tensor<3x4x8xf32> {
  %c = stablehlo.constant dense<0.25> : tensor<4x3x64xf32>
  %0 = stablehlo.multiply %c, %x : tensor<4x3x64xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [0, 1, 2] : (tensor<3x1x8xf32>) -> tensor<3x64x8xf32>
  %2 = stablehlo.multiply %y, %1 : tensor<3x64x8xf32>
  %3 = stablehlo.dot_general %0, %2, batching_dims = [1] x [0], contracting_dims = [2] x [1] : (tensor<4x3x64xf32>, tensor<3x64x8xf32>) -> tensor<3x4x8xf32>
  return %3 : tensor<3x4x8xf32>
}

// A scale of type bf16 gets the wider type of the result.
// CHECK-LABEL: func.func @wider
// CHECK: %[[DOT:.*]] = stablehlo.dot_general %arg0, %arg1
// CHECK: %[[S:.*]] = stablehlo.convert %arg2 : (tensor<4xbf16>) -> tensor<4xf32>
// CHECK: stablehlo.broadcast_in_dim %[[S]], dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
func.func @wider(%x: tensor<4x64xbf16>, %y: tensor<64x8xbf16>, %s: tensor<4xbf16>) -> tensor<4x8xf32> {
  %0 = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<4xbf16>) -> tensor<4x64xbf16>
  %1 = stablehlo.multiply %x, %0 : tensor<4x64xbf16>
  %2 = stablehlo.dot_general %1, %y, contracting_dims = [1] x [0] : (tensor<4x64xbf16>, tensor<64x8xbf16>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// Unchanged: scales that vary along the contracting dimension.
// CHECK-LABEL: func.func @along
// CHECK: %[[X:.*]] = stablehlo.multiply
// CHECK: stablehlo.dot_general %[[X]], %arg1
func.func @along(%x: tensor<4x64xf32>, %y: tensor<64x8xf32>, %s: tensor<64xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<64xf32>) -> tensor<4x64xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<4x64xf32>
  %2 = stablehlo.dot_general %1, %y, contracting_dims = [1] x [0] : (tensor<4x64xf32>, tensor<64x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// Unchanged: the result has more elements, like the scores of attention.
// CHECK-LABEL: func.func @scores
// CHECK: %[[X:.*]] = stablehlo.multiply
// CHECK: stablehlo.dot_general %[[X]], %arg1
func.func @scores(%x: tensor<64x16xf32>, %y: tensor<16x64xf32>) -> tensor<64x64xf32> {
  %c = stablehlo.constant dense<0.25> : tensor<64x16xf32>
  %1 = stablehlo.multiply %x, %c : tensor<64x16xf32>
  %2 = stablehlo.dot_general %1, %y, contracting_dims = [1] x [0] : (tensor<64x16xf32>, tensor<16x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// Unchanged in f16, in which unscaled sums may overflow.
// CHECK-LABEL: func.func @narrow
// CHECK: %[[X:.*]] = stablehlo.multiply
// CHECK: stablehlo.dot_general %[[X]], %arg1
func.func @narrow(%x: tensor<4x64xf16>, %y: tensor<64x8xf16>) -> tensor<4x8xf16> {
  %c = stablehlo.constant dense<0.25> : tensor<4x64xf16>
  %1 = stablehlo.multiply %x, %c : tensor<4x64xf16>
  %2 = stablehlo.dot_general %1, %y, contracting_dims = [1] x [0] : (tensor<4x64xf16>, tensor<64x8xf16>) -> tensor<4x8xf16>
  return %2 : tensor<4x8xf16>
}

// Unchanged: the scaled operand has other users.
// CHECK-LABEL: func.func @needed
// CHECK: %[[X:.*]] = stablehlo.multiply
// CHECK: stablehlo.dot_general %[[X]], %arg1
func.func @needed(%x: tensor<4x64xf32>, %y: tensor<64x8xf32>) -> (tensor<4x8xf32>, tensor<4x64xf32>) {
  %c = stablehlo.constant dense<0.25> : tensor<4x64xf32>
  %1 = stablehlo.multiply %x, %c : tensor<4x64xf32>
  %2 = stablehlo.dot_general %1, %y, contracting_dims = [1] x [0] : (tensor<4x64xf32>, tensor<64x8xf32>) -> tensor<4x8xf32>
  return %2, %1 : tensor<4x8xf32>, tensor<4x64xf32>
}
