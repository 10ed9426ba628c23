// RUN: drumlin-opt %s -split-input-file -verify-diagnostics

// One invalid program for each constraint on operations of older programs.

// The result must have the new sizes, followed by the sizes of the operand.
func.func @broadcast(%a: tensor<3xf32>) {
  // expected-error@+1 {{(broadcast)}}
  %0 = stablehlo.broadcast %a, sizes = [2] : (tensor<3xf32>) -> tensor<3x2xf32>
  return
}

// -----

// The labels must fit the operands' ranks.
func.func @einsum(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error@+1 {{(einsum)}}
  %0 = stablehlo.einsum %a, %b, config = "abc,cd->abd" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// Each label must have one size.
func.func @einsum(%a: tensor<2x3xf32>, %b: tensor<5x4xf32>) {
  // expected-error@+1 {{(einsum)}}
  %0 = stablehlo.einsum %a, %b, config = "ab,bc->ac" : (tensor<2x3xf32>, tensor<5x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// The result must have the sizes of its labels.
func.func @einsum(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(einsum)}}
  %0 = stablehlo.unary_einsum %a, config = "ab->a" : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

// Inputs must have the same shape.
func.func @map_c1(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(map_c1)}}
  %0 = "stablehlo.map"(%a, %b) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

// There must be at least one input.
func.func @map_c2() {
  // expected-error@+1 {{(map_c2)}}
  %0 = "stablehlo.map"() ({
    %1 = stablehlo.constant dense<1.0> : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {dimensions = array<i64: 0>} : () -> tensor<2xf32>
  return
}

// -----

// `dimensions` must list all dimensions of the inputs in ascending order.
func.func @map_c3(%a: tensor<2x2xf32>) {
  // expected-error@+1 {{(map_c3)}}
  %0 = "stablehlo.map"(%a) ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {dimensions = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

// The computation must map elements to an element.
func.func @map_c4(%a: tensor<2xf32>) {
  // expected-error@+1 {{(map_c4)}}
  %0 = "stablehlo.map"(%a) ({
  ^bb0(%x: tensor<f64>):
    stablehlo.return %x : tensor<f64>
  }) {dimensions = array<i64: 0>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// The dimension must be a dimension of the operand.
func.func @torch_index_select(%a: tensor<2x3xf32>, %i: tensor<4xi32>) {
  // expected-error@+1 {{(torch_index_select)}}
  %0 = "stablehlo.torch_index_select"(%a, %i) {dim = 2 : i64, batch_dims = 0 : i64} : (tensor<2x3xf32>, tensor<4xi32>) -> tensor<2x4xf32>
  return
}

// -----

// The result must have the indices' dimensions in place of the indexed one.
func.func @torch_index_select(%a: tensor<2x3xf32>, %i: tensor<4xi32>) {
  // expected-error@+1 {{(torch_index_select)}}
  %0 = "stablehlo.torch_index_select"(%a, %i) {dim = 1 : i64, batch_dims = 0 : i64} : (tensor<2x3xf32>, tensor<4xi32>) -> tensor<4x3xf32>
  return
}
