// RUN: drumlin-opt %s -split-input-file -verify-diagnostics

// One invalid program for each constraint on the operations of `chlo`.

// The result has the operand's type.
func.func @erf(%a: tensor<2xf32>) {
  // expected-error@+1 {{expects operands and result of one type}}
  %0 = chlo.erf %a : tensor<2xf32> -> tensor<3xf32>
  return
}

// -----

// top_k must not select more elements than a row has.
func.func @top_k(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{expects k in [0, 3], the size of the last dimension, got 4}}
  %0:2 = chlo.top_k(%a, k = 4) : tensor<2x3xf32> -> (tensor<2x4xf32>, tensor<2x4xi32>)
  return
}

// -----

// A scalar has no row.
func.func @top_k_scalar(%a: tensor<f32>) {
  // expected-error@+1 {{expects an operand of rank 1 or more, got rank 0}}
  %0:2 = chlo.top_k(%a, k = 0) : tensor<f32> -> (tensor<f32>, tensor<i32>)
  return
}

// -----

// Indices are of type i32.
func.func @top_k_indices(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{expects indices of type 'tensor<2x2xi32>', got 'tensor<2x2xi64>'}}
  %0:2 = chlo.top_k(%a, k = 2) : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xi64>)
  return
}

// -----

// Values keep the element type.
func.func @top_k_values(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{expects values of type 'tensor<2x2xf32>', got 'tensor<2x2xf64>'}}
  %0:2 = chlo.top_k(%a, k = 2) : tensor<2x3xf32> -> (tensor<2x2xf64>, tensor<2x2xi32>)
  return
}
