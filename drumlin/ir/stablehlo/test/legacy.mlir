// RUN: drumlin-opt %s | FileCheck %s
// RUN: drumlin-opt %s --mlir-print-op-generic | drumlin-opt | FileCheck %s

// Operations of older programs are printed as they were read.

// Broadcasts, dots, einsums, selection by indices, and map.
// CHECK-LABEL: func.func @older
func.func @older(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %i: tensor<4xi32>) {
  // CHECK: stablehlo.broadcast %{{.*}}, sizes = [5] : (tensor<2x3xf32>) -> tensor<5x2x3xf32>
  %0 = stablehlo.broadcast %a, sizes = [5] : (tensor<2x3xf32>) -> tensor<5x2x3xf32>
  // CHECK: stablehlo.dot %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.dot %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // CHECK: stablehlo.dot %{{.*}}, %{{.*}}, precision = [HIGHEST, DEFAULT] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %2 = stablehlo.dot %a, %b, precision = [HIGHEST, DEFAULT] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // CHECK: stablehlo.einsum %{{.*}}, %{{.*}}, config = "ab,bc->ac" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %3 = stablehlo.einsum %a, %b, config = "ab,bc->ac" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // CHECK: stablehlo.einsum %{{.*}}, %{{.*}}, config = "ab,...->a..." : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
  %4 = stablehlo.einsum %a, %b, config = "ab,...->a..." : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
  // CHECK: stablehlo.unary_einsum %{{.*}}, config = "ab->a" : (tensor<2x3xf32>) -> tensor<2xf32>
  %5 = stablehlo.unary_einsum %a, config = "ab->a" : (tensor<2x3xf32>) -> tensor<2xf32>
  // CHECK: "stablehlo.torch_index_select"(%{{.*}}, %{{.*}}) <{batch_dims = 0 : i64, dim = 1 : i64}> : (tensor<2x3xf32>, tensor<4xi32>) -> tensor<2x4xf32>
  %6 = "stablehlo.torch_index_select"(%a, %i) <{batch_dims = 0 : i64, dim = 1 : i64}> : (tensor<2x3xf32>, tensor<4xi32>) -> tensor<2x4xf32>
  // CHECK: "stablehlo.map"(%{{.*}}) <{dimensions = array<i64: 0, 1>}> ({
  %7 = "stablehlo.map"(%a) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
