// RUN: drumlin-opt %s | FileCheck %s
// RUN: drumlin-opt %s --mlir-print-op-generic | drumlin-opt | FileCheck %s

// Operations that move elements are printed as they were read.

// Tensors with and without dimensions.
// CHECK-LABEL: func.func @shapes
func.func @shapes(%a: tensor<2x3xf32>, %s: tensor<f32>, %i: tensor<i32>, %u: tensor<1x2xf32>, %k: tensor<2x2xi16>) {
  // CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = [2, 0] : (tensor<2x3xf32>) -> tensor<3x5x2xf32>
  %0 = stablehlo.broadcast_in_dim %a, dims = [2, 0] : (tensor<2x3xf32>) -> tensor<3x5x2xf32>
  // CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4xf32>
  // CHECK: stablehlo.concatenate %{{.*}}, %{{.*}}, dim = 1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  %2 = stablehlo.concatenate %a, %a, dim = 1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  // CHECK: stablehlo.concatenate %{{.*}}, dim = 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = stablehlo.concatenate %a, dim = 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: stablehlo.dynamic_slice %{{.*}}, %{{.*}}, %{{.*}}, sizes = [1, 2] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  %4 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 2] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  // CHECK: stablehlo.dynamic_slice %{{.*}}, sizes = [] : (tensor<f32>) -> tensor<f32>
  %5 = stablehlo.dynamic_slice %s, sizes = [] : (tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.dynamic_update_slice %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  %6 = stablehlo.dynamic_update_slice %a, %u, %i, %i : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  // CHECK: stablehlo.pad %{{.*}}, %{{.*}}, low = [1, -1], high = [0, 2], interior = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x6xf32>
  %7 = stablehlo.pad %a, %s, low = [1, -1], high = [0, 2], interior = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x6xf32>
  // CHECK: stablehlo.reshape %{{.*}} : (tensor<2x3xf32>) -> tensor<3x1x2xf32>
  %8 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<3x1x2xf32>
  // CHECK: stablehlo.reverse %{{.*}}, dims = [0, 1] : tensor<2x3xf32>
  %9 = stablehlo.reverse %a, dims = [0, 1] : tensor<2x3xf32>
  // CHECK: stablehlo.slice %{{.*}} [0:2, 0:3:2] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  %10 = stablehlo.slice %a [0:2, 0:3:2] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  // CHECK: stablehlo.slice %{{.*}} [] : (tensor<f32>) -> tensor<f32>
  %11 = stablehlo.slice %s [] : (tensor<f32>) -> tensor<f32>
  // CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %12 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  // CHECK: stablehlo.bitcast_convert %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xui32>
  %13 = stablehlo.bitcast_convert %a : (tensor<2x3xf32>) -> tensor<2x3xui32>
  // CHECK: stablehlo.bitcast_convert %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3x4xi8>
  %14 = stablehlo.bitcast_convert %a : (tensor<2x3xf32>) -> tensor<2x3x4xi8>
  // CHECK: stablehlo.bitcast_convert %{{.*}} : (tensor<2x2xi16>) -> tensor<2xi32>
  %15 = stablehlo.bitcast_convert %k : (tensor<2x2xi16>) -> tensor<2xi32>
  return
}
