// RUN: drumlin-opt %s -split-input-file -verify-diagnostics

// One invalid program for each constraint on reduce.

// Inputs must have the same shape.
func.func @reduce_c1(%a: tensor<2x3xf32>, %b: tensor<3x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{(reduce_c1)}}
  %0:2 = "stablehlo.reduce"(%a, %b, %i, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<f32>):
    stablehlo.return %arg0, %arg1 : tensor<f32>, tensor<f32>
  }) : (tensor<2x3xf32>, tensor<3x3xf32>, tensor<f32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

// Init values must have the inputs' element types.
func.func @reduce_c2(%a: tensor<2x3xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{(reduce_c2)}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<i32>) -> tensor<2xf32>
  return
}

// -----

// There must be at least one input.
func.func @reduce_c3() {
  // expected-error@+1 {{(reduce_c3)}}
  "stablehlo.reduce"() <{dimensions = array<i64>}> ({
    stablehlo.return
  }) : () -> ()
  return
}

// -----

// Each input needs a result.
func.func @reduce_c3_results(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{(reduce_c3)}}
  "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> ()
  return
}

// -----

// The listed dimensions must be dimensions of the inputs.
func.func @reduce_c4(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{(reduce_c4)}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 2>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

// Each dimension must occur only once.
func.func @reduce_c5(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{(reduce_c5)}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 1, 1>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

// The body must take a pair of elements for each input.
func.func @reduce_c6(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{(reduce_c6)}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

// The body must compute on a type to which the inputs are promotable.
func.func @reduce_c6_promotable(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{a type that 'f32' is promotable to, got 'i32' (reduce_c6)}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%arg0: tensor<i32>, %arg1: tensor<i32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

// The body returns a value for each input.
func.func @reduce_c6_return(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{(reduce_c6)}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    stablehlo.return
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

// The results must have the dimensions that are not reduced.
func.func @reduce_c7(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{(reduce_c7)}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

// The results have the body's type.
func.func @reduce_c8(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{(reduce_c8)}}
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 1>}> ({
  ^bb0(%arg0: tensor<f64>, %arg1: tensor<f64>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

// The short form is for commutative operations.
func.func @reduce_applies(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{expected a commutative operation of two operands, got `stablehlo.divide`}}
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.divide across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}
