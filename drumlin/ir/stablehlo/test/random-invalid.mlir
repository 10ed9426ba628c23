// RUN: drumlin-opt %s -split-input-file -verify-diagnostics

// One invalid program for each constraint on random numbers.

// The bounds must have the same type.
func.func @rng_c1(%a: tensor<f32>, %b: tensor<f64>, %s: tensor<1xi64>) {
  // expected-error@+1 {{(rng_c1)}}
  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f64>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// -----

// The result must have the bounds' element type.
func.func @rng_c1(%a: tensor<f32>, %s: tensor<1xi64>) {
  // expected-error@+1 {{(rng_c1)}}
  %0 = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<?xf64>
  return
}

// -----

// Normally distributed numbers must be floating-point numbers.
func.func @rng_c2(%a: tensor<i32>, %s: tensor<1xi64>) {
  // expected-error@+1 {{(rng_c2)}}
  %0 = stablehlo.rng %a, %a, %s, distribution = NORMAL : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<?xi32>
  return
}

// -----

// Each dimension needs a size.
func.func @rng_c3(%a: tensor<f32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(rng_c3)}}
  %0 = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<?xf32>
  return
}

// -----

// The output state must have the type of the initial state.
func.func @rng_bit_generator_c1(%s: tensor<2xui64>) {
  // expected-error@+1 {{(rng_bit_generator_c1)}}
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}

// -----

// Threefry needs two words of state.
func.func @rng_bit_generator_c2(%s: tensor<3xui64>) {
  // expected-error@+1 {{(rng_bit_generator_c2)}}
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}

// -----

// Philox needs two or three words of state.
func.func @rng_bit_generator_c2(%s: tensor<4xui64>) {
  // expected-error@+1 {{(rng_bit_generator_c2)}}
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<4xui64>) -> (tensor<4xui64>, tensor<4xui32>)
  return
}
