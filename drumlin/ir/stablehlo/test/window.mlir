// RUN: drumlin-opt %s | FileCheck %s
// RUN: drumlin-opt %s --mlir-print-op-generic | drumlin-opt | FileCheck %s

// Windows are printed in the generic form. The number of their positions depends on padding, stride and both dilations.

// Windows with all attributes, and with none of them.
// CHECK-LABEL: func.func @reduce_window
func.func @reduce_window(%a: tensor<8x6xf32>, %i: tensor<f32>) {
  // CHECK: "stablehlo.reduce_window"(%{{.*}}, %{{.*}}) <{base_dilations = array<i64: 2, 1>, padding = dense<{{\[\[}}2, 1], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 3, 1>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}>
  // CHECK: (tensor<8x6xf32>, tensor<f32>) -> tensor<8x3xf32>
  %0 = "stablehlo.reduce_window"(%a, %i) <{base_dilations = array<i64: 2, 1>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 3, 1>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<8x6xf32>, tensor<f32>) -> tensor<8x3xf32>
  // CHECK: (tensor<8x6xf32>, tensor<f32>) -> tensor<0x6xf32>
  %1 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 9, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<8x6xf32>, tensor<f32>) -> tensor<0x6xf32>
  return
}

// The gradient of a maximum over windows.
// CHECK-LABEL: func.func @select_and_scatter
func.func @select_and_scatter(%a: tensor<4x4xf32>, %s: tensor<2x2xf32>, %i: tensor<f32>) {
  // CHECK: "stablehlo.select_and_scatter"(%{{.*}}, %{{.*}}, %{{.*}}) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}>
  %0 = "stablehlo.select_and_scatter"(%a, %s, %i) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.compare GE, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x4xf32>
  return
}
