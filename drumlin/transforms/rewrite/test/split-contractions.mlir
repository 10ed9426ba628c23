// RUN: drumlin-opt --split-contractions=target=avx512 %s | FileCheck %s

// Dots of few rows and columns and a long contracting dimension are split into parts, which are added up.

// CHECK-LABEL: func.func @square
// CHECK: %[[X:.*]] = stablehlo.reshape %{{.*}} : (tensor<8x131072xf32>) -> tensor<8x8x16384xf32>
// CHECK: %[[Y:.*]] = stablehlo.reshape %{{.*}} : (tensor<131072x8xf32>) -> tensor<8x16384x8xf32>
// CHECK: %[[PARTS:.*]] = stablehlo.dot_general %[[X]], %[[Y]], batching_dims = [1] x [0], contracting_dims = [2] x [1] : {{.*}} -> tensor<8x8x8xf32>
// CHECK: %[[SUM:.*]] = stablehlo.reduce(%[[PARTS]] init: %{{.*}}) applies stablehlo.add across dimensions = [0]
// CHECK: return %[[SUM]]
func.func @square(%x: tensor<8x131072xf32>, %y: tensor<131072x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x131072xf32>, tensor<131072x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// A dot with a batch, several contracting dimensions and a narrow result. The sum is rounded once.
// CHECK-LABEL: func.func @batch
// CHECK: stablehlo.reshape %{{.*}} : (tensor<3x16x8192x8xbf16>) -> tensor<3x4x4x8192x8xbf16>
// CHECK: stablehlo.dot_general {{.*}}, batching_dims = [0, 1] x [3, 0], contracting_dims = [2, 3] x [1, 2] : {{.*}} -> tensor<3x4x8x8xf32>
// CHECK: stablehlo.reduce({{.*}} across dimensions = [1] : (tensor<3x4x8x8xf32>, tensor<f32>) -> tensor<3x8x8xf32>
// CHECK: stablehlo.convert {{.*}} -> tensor<3x8x8xbf16>
func.func @batch(%x: tensor<3x16x8192x8xbf16>, %y: tensor<16x8192x3x8xbf16>) -> tensor<3x8x8xbf16> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [2], contracting_dims = [1, 2] x [0, 1] : (tensor<3x16x8192x8xbf16>, tensor<16x8192x3x8xbf16>) -> tensor<3x8x8xbf16>
  return %0 : tensor<3x8x8xbf16>
}

// Integers are added up in their own type.
// CHECK-LABEL: func.func @integers
// CHECK: -> tensor<8x8x8xi32>
// CHECK-NOT: convert
// CHECK: return
func.func @integers(%x: tensor<8x131072xi8>, %y: tensor<131072x8xi8>) -> tensor<8x8xi32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x131072xi8>, tensor<131072x8xi8>) -> tensor<8x8xi32>
  return %0 : tensor<8x8xi32>
}

// Not split: a dot with enough tiles for threads to share, a dot of few MACs, and a dot that has no parts of equal size.
// CHECK-LABEL: func.func @others
// CHECK-NOT: stablehlo.reduce
// CHECK: return
func.func @others(%a: tensor<2048x2048xf32>, %b: tensor<8x1024xf32>, %c: tensor<8x131071xf32>) -> (tensor<2048x2048xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<2048x2048xf32>, tensor<2048x2048xf32>) -> tensor<2048x2048xf32>
  %1 = stablehlo.dot_general %b, %b, contracting_dims = [1] x [1] : (tensor<8x1024xf32>, tensor<8x1024xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.dot_general %c, %c, contracting_dims = [1] x [1] : (tensor<8x131071xf32>, tensor<8x131071xf32>) -> tensor<8x8xf32>
  return %0, %1, %2 : tensor<2048x2048xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
