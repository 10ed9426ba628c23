// RUN: drumlin-opt %s -split-input-file -verify-diagnostics

// Invalid broadcasts, constants, scans and ragged dots.

// Sizes must be compatible.
func.func @broadcast(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{(broadcast)}}
  %0 = chlo.broadcast_add %a, %b : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

// Each operand dimension needs a result dimension.
func.func @broadcast(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(broadcast)}}
  %0 = chlo.broadcast_add %a, %b {broadcast_dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// All values must have the same kind of element.
func.func @broadcast(%a: tensor<3xf32>, %b: tensor<3xf64>) {
  // expected-error@+1 {{(broadcast)}}
  %0 = chlo.broadcast_add %a, %b : (tensor<3xf32>, tensor<3xf64>) -> tensor<3xf32>
  return
}

// -----

// The result must have the common shape of the operands.
func.func @broadcast(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(broadcast)}}
  %0 = chlo.broadcast_add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// Both alternatives must have the same kind of element.
func.func @broadcast(%p: tensor<i1>, %a: tensor<3xf32>, %b: tensor<3xf64>) {
  // expected-error@+1 {{(broadcast)}}
  %0 = chlo.broadcast_select %p, %a, %b : (tensor<i1>, tensor<3xf32>, tensor<3xf64>) -> tensor<3xf32>
  return
}

// -----

// The sizes of both alternatives must be compatible.
func.func @broadcast(%p: tensor<2xi1>, %a: tensor<3xf32>) {
  // expected-error@+1 {{(broadcast)}}
  %0 = chlo.broadcast_select %p, %a, %a : (tensor<2xi1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// The value must have the result's element type.
func.func @constant_like(%a: tensor<3xf32>) {
  // expected-error@+1 {{(constant_like)}}
  %0 = "chlo.constant_like"(%a) {value = 1 : i32} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// The dimension must be a dimension of the inputs.
func.func @scan(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(scan)}}
  %0:2 = chlo.scan(%a) inits (%b) dimension=2 {
  ^bb0(%x: tensor<3xf32>, %c: tensor<3xf32>):
    stablehlo.return %x, %c : tensor<3xf32>, tensor<3xf32>
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return
}

// -----

// The size of the scanned dimension must be `scan_dim_size`.
func.func @scan(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(scan)}}
  %0:2 = chlo.scan(%a) inits (%b) dimension=0 attributes {scan_dim_size = 3 : i64} {
  ^bb0(%x: tensor<3xf32>, %c: tensor<3xf32>):
    stablehlo.return %x, %c : tensor<3xf32>, tensor<3xf32>
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return
}

// -----

// Carries must have the types of the initial values.
func.func @scan(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(scan)}}
  %0:2 = chlo.scan(%a) inits (%b) dimension=0 {
  ^bb0(%x: tensor<3xf32>, %c: tensor<3xf32>):
    stablehlo.return %x, %c : tensor<3xf32>, tensor<3xf32>
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<4xf32>)
  return
}

// -----

// The body must take slices and carries.
func.func @scan(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(scan)}}
  %0:2 = chlo.scan(%a) inits (%b) dimension=0 {
  ^bb0(%x: tensor<2xf32>, %c: tensor<3xf32>):
    stablehlo.return %c, %c : tensor<3xf32>, tensor<3xf32>
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return
}

// -----

// The body must return slices and carries.
func.func @scan(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(scan)}}
  %0:2 = chlo.scan(%a) inits (%b) dimension=0 {
  ^bb0(%x: tensor<3xf32>, %c: tensor<3xf32>):
    stablehlo.return %x : tensor<3xf32>
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return
}

// -----

// There must be exactly one ragged dimension.
func.func @ragged_dot(%l: tensor<11x5xf32>, %r: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  // expected-error@+1 {{(ragged_dot)}}
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], rhs_group_dimensions = [0]>} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

// If rows are ragged, rhs needs a group dimension.
func.func @ragged_dot(%l: tensor<11x5xf32>, %r: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  // expected-error@+1 {{(ragged_dot)}}
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

// Each group needs a matrix in rhs.
func.func @ragged_dot(%l: tensor<11x5xf32>, %r: tensor<2x5x7xf32>, %g: tensor<3xi64>) {
  // expected-error@+1 {{(ragged_dot)}}
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<11x5xf32>, tensor<2x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

// Contracting dimensions must have equal sizes.
func.func @ragged_dot(%l: tensor<11x4xf32>, %r: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  // expected-error@+1 {{(ragged_dot)}}
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<11x4xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

// The dimensions of rhs must be distinct.
func.func @ragged_dot(%l: tensor<11x5xf32>, %r: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  // expected-error@+1 {{(ragged_dot)}}
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [1]>} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
  return
}

// -----

// The result must have rows and columns.
func.func @ragged_dot(%l: tensor<11x5xf32>, %r: tensor<3x5x7xf32>, %g: tensor<3xi64>) {
  // expected-error@+1 {{(ragged_dot)}}
  %0 = "chlo.ragged_dot"(%l, %r, %g) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x8xf32>
  return
}
