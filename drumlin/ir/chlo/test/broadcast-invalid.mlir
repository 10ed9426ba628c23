// RUN: drumlin-opt %s -split-input-file -verify-diagnostics

// Broadcasts, constants, scans and ragged products that can't be.

// Sizes that fit.
func.func @broadcast(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{(broadcast)}}
  %0 = chlo.broadcast_add %a, %b : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

// A place for each dimension.
func.func @broadcast(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(broadcast)}}
  %0 = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// One kind of element.
func.func @broadcast(%a: tensor<3xf32>, %b: tensor<3xf64>) {
  // expected-error@+1 {{(broadcast)}}
  %0 = chlo.broadcast_add %a, %b : (tensor<3xf32>, tensor<3xf64>) -> tensor<3xf32>
  return
}

// -----

// A result of the common shape.
func.func @broadcast(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(broadcast)}}
  %0 = chlo.broadcast_add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// Choices of one kind of element.
func.func @broadcast(%p: tensor<i1>, %a: tensor<3xf32>, %b: tensor<3xf64>) {
  // expected-error@+1 {{(broadcast)}}
  %0 = chlo.broadcast_select %p, %a, %b : (tensor<i1>, tensor<3xf32>, tensor<3xf64>) -> tensor<3xf32>
  return
}

// -----

// Choices of sizes that fit.
func.func @broadcast(%p: tensor<2xi1>, %a: tensor<3xf32>) {
  // expected-error@+1 {{(broadcast)}}
  %0 = chlo.broadcast_select %p, %a, %a : (tensor<2xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// A value of the result's element type.
func.func @constant_like(%a: tensor<3xf32>) {
  // expected-error@+1 {{(constant_like)}}
  %0 = "chlo.constant_like"(%a) {value = 1 : i32} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// A dimension of the inputs.
func.func @scan(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(scan)}}
  %0:2 = chlo.scan(%a) inits (%b) dimension=2 {
  ^bb0(%x: tensor<3xf32>, %c: tensor<3xf32>):
    stablehlo.return %x, %c : tensor<3xf32>, tensor<3xf32>
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return
}

// -----

// Inputs of the stated size.
func.func @scan(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(scan)}}
  %0:2 = chlo.scan(%a) inits (%b) dimension=0 attributes {scan_dim_size = 3 : i64} {
  ^bb0(%x: tensor<3xf32>, %c: tensor<3xf32>):
    stablehlo.return %x, %c : tensor<3xf32>, tensor<3xf32>
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return
}

// -----

// Carries of the type of the first ones.
func.func @scan(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(scan)}}
  %0:2 = chlo.scan(%a) inits (%b) dimension=0 {
  ^bb0(%x: tensor<3xf32>, %c: tensor<3xf32>):
    stablehlo.return %x, %c : tensor<3xf32>, tensor<3xf32>
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<4xf32>)
  return
}

// -----

// A body of slices and carries.
func.func @scan(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(scan)}}
  %0:2 = chlo.scan(%a) inits (%b) dimension=0 {
  ^bb0(%x: tensor<2xf32>, %c: tensor<3xf32>):
    stablehlo.return %c, %c : tensor<3xf32>, tensor<3xf32>
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return
}

// -----

// A body that gives slices and carries.
func.func @scan(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(scan)}}
  %0:2 = chlo.scan(%a) inits (%b) dimension=0 {
  ^bb0(%x: tensor<3xf32>, %c: tensor<3xf32>):
    stablehlo.return %x : tensor<3xf32>
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return
}

// -----

// One ragged dimension.
func.func @ragged_dot(%l: tensor<11x5xf32>, %r: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  // expected-error@+1 {{(ragged_dot)}}
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], rhs_group_dimensions = [0]>} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

// A group dimension where rows are ragged.
func.func @ragged_dot(%l: tensor<11x5xf32>, %r: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  // expected-error@+1 {{(ragged_dot)}}
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

// A matrix for each group.
func.func @ragged_dot(%l: tensor<11x5xf32>, %r: tensor<2x5x7xf32>, %g: tensor<3xi64>) {
  // expected-error@+1 {{(ragged_dot)}}
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<11x5xf32>, tensor<2x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

// Contracted dimensions of one size.
func.func @ragged_dot(%l: tensor<11x4xf32>, %r: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  // expected-error@+1 {{(ragged_dot)}}
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<11x4xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

// Different dimensions of rhs.
func.func @ragged_dot(%l: tensor<11x5xf32>, %r: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  // expected-error@+1 {{(ragged_dot)}}
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [1]>} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

// A result of rows and columns.
func.func @ragged_dot(%l: tensor<11x5xf32>, %r: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  // expected-error@+1 {{(ragged_dot)}}
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x8xf32>
  return
}
