// RUN: drumlin-opt %s -split-input-file -verify-diagnostics

// One invalid program for each constraint on constants.

// The value must have the output's type.
func.func @constant_c1() {
  // expected-error@+1 {{(constant_c1)}}
  %0 = "stablehlo.constant"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<3xf32>
  return
}

// -----

// The dimension must be a dimension of the output.
func.func @iota_c1() {
  // expected-error@+1 {{(iota_c1)}}
  %0 = stablehlo.iota dim = 1 : tensor<2xi32>
  return
}

// -----

// The dimension isn't negative.
func.func @iota_c1_negative() {
  // expected-error@+1 {{(iota_c1)}}
  %0 = stablehlo.iota dim = -1 : tensor<2xi32>
  return
}

// -----

// The elements of an iota must not be booleans.
func.func @iota_o1() {
  // expected-error@+1 {{must be tensor of integers, floating-point or complex numbers}}
  %0 = stablehlo.iota dim = 0 : tensor<2xi1>
  return
}
