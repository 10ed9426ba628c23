// RUN: drumlin-opt %s -split-input-file -verify-diagnostics

// One invalid program for each constraint on elementwise operations.

// Operands must have the same shape.
func.func @add_c1(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{(add_c1)}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

// Booleans cannot be negated.
func.func @negate_i1(%a: tensor<2xi1>) {
  // expected-error@+1 {{must be tensor of integers, floating-point or complex numbers}}
  %0 = stablehlo.negate %a : tensor<2xi1>
  return
}

// -----

// Complex numbers cannot be rounded.
func.func @floor_i1(%a: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{must be tensor of floating-point numbers}}
  %0 = stablehlo.floor %a : tensor<2xcomplex<f32>>
  return
}

// -----

// Bitwise operations need integers or booleans.
func.func @and_i1(%a: tensor<2xf32>) {
  // expected-error@+1 {{must be tensor of booleans or integers}}
  %0 = stablehlo.and %a, %a : tensor<2xf32>
  return
}

// -----

// Unsigned integers have no sign.
func.func @sign_i1(%a: tensor<2xui32>) {
  // expected-error@+1 {{must be tensor of signed integers}}
  %0 = stablehlo.sign %a : tensor<2xui32>
  return
}

// -----

// Only integers can be shifted.
func.func @shift_left_i1(%a: tensor<2xi1>) {
  // expected-error@+1 {{must be tensor of integers}}
  %0 = stablehlo.shift_left %a, %a : tensor<2xi1>
  return
}

// -----

// The absolute value has the shape of its operand.
func.func @abs_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(abs_c1)}}
  %0 = "stablehlo.abs"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

// The absolute value of complex numbers must have the type of their real and imaginary parts.
func.func @abs_c2(%a: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{(abs_c2)}}
  %0 = stablehlo.abs %a : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
  return
}

// -----

// The real part has the shape of its operand.
func.func @real_c1(%a: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{(real_c1)}}
  %0 = stablehlo.real %a : (tensor<2xcomplex<f32>>) -> tensor<3xf32>
  return
}

// -----

// The imaginary part has the shape of its operand.
func.func @imag_c1(%a: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{(imag_c1)}}
  %0 = stablehlo.imag %a : (tensor<2xcomplex<f32>>) -> tensor<3xf32>
  return
}

// -----

// Complex numbers must have the shape of their real and imaginary parts.
func.func @complex_c2(%a: tensor<2xf32>) {
  // expected-error@+1 {{(complex_c2)}}
  %0 = stablehlo.complex %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xcomplex<f32>>
  return
}

// -----

// The result must have the type of the operand's real parts.
func.func @real_c2(%a: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{(real_c2)}}
  %0 = stablehlo.real %a : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
  return
}

// -----

// The result must have the type of the operand's imaginary parts.
func.func @imag_c2(%a: tensor<2xcomplex<f64>>) {
  // expected-error@+1 {{(imag_c2)}}
  %0 = stablehlo.imag %a : (tensor<2xcomplex<f64>>) -> tensor<2xf32>
  return
}

// -----

// The real and the imaginary parts must have the same type.
func.func @complex_c1(%a: tensor<2xf32>, %b: tensor<2xf64>) {
  // expected-error@+1 {{(complex_c1)}}
  %0 = stablehlo.complex %a, %b : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xcomplex<f32>>
  return
}

// -----

// Complex numbers must have the type of their real and imaginary parts.
func.func @complex_c3(%a: tensor<2xf32>) {
  // expected-error@+1 {{(complex_c3)}}
  %0 = stablehlo.complex %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f64>>
  return
}

// -----

// Conversion keeps the shape.
func.func @convert_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(convert_c1)}}
  %0 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<3xi32>
  return
}

// -----

// The result must have one element per operand element.
func.func @is_finite_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(is_finite_c1)}}
  %0 = stablehlo.is_finite %a : (tensor<2xf32>) -> tensor<3xi1>
  return
}

// -----

// Only elements of the same type can be compared.
func.func @compare_c1(%a: tensor<2xf32>, %b: tensor<2xi32>) {
  // expected-error@+1 {{(compare_c1)}}
  %0 = stablehlo.compare EQ, %a, %b : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xi1>
  return
}

// -----

// The result must have one element per pair.
func.func @compare_c2(%a: tensor<2xf32>) {
  // expected-error@+1 {{(compare_c2)}}
  %0 = stablehlo.compare EQ, %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xi1>
  return
}

// -----

// A lower bound must be a scalar or have the operand's shape.
func.func @clamp_c1(%a: tensor<2xf32>, %b: tensor<1xf32>) {
  // expected-error@+1 {{(clamp_c1)}}
  %0 = stablehlo.clamp %b, %a, %a : (tensor<1xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// An upper bound must be a scalar or have the operand's shape.
func.func @clamp_c2(%a: tensor<2xf32>, %b: tensor<1xf32>) {
  // expected-error@+1 {{(clamp_c2)}}
  %0 = stablehlo.clamp %a, %a, %b : (tensor<2xf32>, tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  return
}

// -----

// Bounds must have the operand's element type.
func.func @clamp_c3(%a: tensor<2xf32>, %b: tensor<f64>) {
  // expected-error@+1 {{(clamp_c3)}}
  %0 = stablehlo.clamp %b, %a, %b : (tensor<f64>, tensor<2xf32>, tensor<f64>) -> tensor<2xf32>
  return
}

// -----

// The result has the operand's type.
func.func @clamp_c4(%a: tensor<2xf32>) {
  // expected-error@+1 {{(clamp_c4)}}
  %0 = stablehlo.clamp %a, %a, %a : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

// A predicate must be a scalar or have the operands' shape.
func.func @select_c1(%p: tensor<3xi1>, %a: tensor<2xf32>) {
  // expected-error@+1 {{(select_c1)}}
  %0 = stablehlo.select %p, %a, %a : tensor<3xi1>, tensor<2xf32>
  return
}

// -----

// Both alternatives must have the same type.
func.func @select_c2(%p: tensor<i1>, %a: tensor<2xf32>, %b: tensor<2xf64>) {
  // expected-error@+1 {{(select_c2)}}
  %0 = stablehlo.select %p, %a, %b : (tensor<i1>, tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

// Only the mode TOLERANCE has tolerances.
func.func @result_accuracy(%a: tensor<2xf32>) {
  // expected-error@+1 {{expects no tolerances in mode HIGHEST}}
  %0 = stablehlo.tanh %a {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2xf32>
  return
}

// -----

// The result has the operand's type.
func.func @reduce_precision_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(reduce_precision_c1)}}
  %0 = stablehlo.reduce_precision %a, format = e5m10 : (tensor<2xf32>) -> tensor<2xf64>
  return
}

// -----

// The exponent must have at least one bit.
func.func @reduce_precision_c2(%a: tensor<2xf32>) {
  // expected-error@+1 {{(reduce_precision_c2)}}
  %0 = stablehlo.reduce_precision %a, format = e0m10 : tensor<2xf32>
  return
}

// -----

// The mantissa must not have a negative number of bits.
func.func @reduce_precision_c3(%a: tensor<2xf32>) {
  // expected-error@+1 {{(reduce_precision_c3)}}
  %0 = "stablehlo.reduce_precision"(%a) {exponent_bits = 5 : i32, mantissa_bits = -1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
