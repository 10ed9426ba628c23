// RUN: drumlin-opt %s -split-input-file -verify-diagnostics

// One invalid program for each constraint on the element types of quantized tensors, and on literals.

// quantized_element_c1: the least storage value is a value of the storage type.
// expected-error@+1 {{illegal storage type minimum: -129}}
func.func @storage_min(%a: tensor<2x!quant.uniform<i8<-129:127>:f32, 1.0>>) { return }

// -----

// quantized_element_c2: the greatest storage value is a value of the storage type.
// expected-error@+1 {{illegal storage type maximum: 128}}
func.func @storage_max(%a: tensor<2x!quant.uniform<i8<-128:128>:f32, 1.0>>) { return }

// -----

// quantized_element_c3: the least storage value is less than the greatest.
// expected-error@+1 {{illegal storage min and storage max: (3:3)}}
func.func @storage_range(%a: tensor<2x!quant.uniform<i8<3:3>:f32, 1.0>>) { return }

// -----

// quantized_element_c4: a scale fits into the expressed type.
// expected-error@+1 {{out of expressed type range [5.960464e-08, 6.550400e+04]}}
func.func @expressed_scale(%a: tensor<2x!quant.uniform<i8:f16, 1.0e10>>) { return }

// -----

// quantized_element_c5: scales are positive.
// expected-error@+1 {{scale -1.000000e+00 out of expressed type range}}
func.func @negative_scale(%a: tensor<2x!quant.uniform<i8:f32, -1.0>>) { return }

// -----

// quantized_element_c5: scales are not zero.
// expected-error@+1 {{scale 0.000000e+00 out of expressed type range}}
func.func @zero_scale(%a: tensor<2x!quant.uniform<i8:f32, 0.0>>) { return }

// -----

// quantized_element_c6: scales are finite.
// expected-error@+1 {{scale INF out of expressed type range}}
func.func @infinite_scale(%a: tensor<2x!quant.uniform<i8:f32, 0x7FF0000000000000>>) { return }

// -----

// quantized_element_c6: scales are numbers.
func.func @scale_of_nan(%a: tensor<2xf32>) {
  // expected-error@+1 {{must be quantized tensor}}
  %0 = stablehlo.uniform_quantize %a : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0x7FF8000000000000>>
  return
}

// -----

// quantized_element_c6: scales along an axis are finite.
func.func @scales_of_nan(%a: tensor<2xf32>) {
  // expected-error@+1 {{must be quantized tensor}}
  %0 = stablehlo.uniform_quantize %a : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32:0, {1.0, 0x7FF8000000000000}>>
  return
}

// -----

// quantized_element_c7: a zero point is a storage value.
func.func @zero_point(%a: tensor<2x!quant.uniform<i8:f32, 1.0:200>>) {
  // expected-error@+1 {{must be quantized tensor, but got 'tensor<2x!quant.uniform<i8:f32, 1.000000e+00:200>>'}}
  %0 = stablehlo.uniform_dequantize %a : (tensor<2x!quant.uniform<i8:f32, 1.0:200>>) -> tensor<2xf32>
  return
}

// -----

// quantized_element_c8: a zero point is an integer.
// expected-error@+1 {{expected integer value}}
func.func @real_zero_point(%a: tensor<2x!quant.uniform<i8:f32, 1.0:1.5>>) { return }

// -----

// quantized_element_c10: there is one scale if there is no quantized dimension.
// expected-error@+1 {{expected floating point literal}}
func.func @scales_of_no_dimension(%a: tensor<2x!quant.uniform<i8:f32, {1.0, 2.0}>>) { return }

// -----

// quantized_element_c11: the quantized dimension isn't negative.
// expected-error@+1 {{illegal quantized dimension: -1}}
func.func @negative_dimension(%a: tensor<2x!quant.uniform<i8:f32:-1, {1.0, 2.0}>>) { return }

// -----

// quantized_element_c12: the quantized dimension is a dimension of the tensor.
func.func @dimension(%a: tensor<2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>) {
  // expected-error@+1 {{must be quantized tensor, but got 'tensor<2x!quant.uniform<i8:f32:1, {1.000000e+00,2.000000e+00}>>'}}
  %0 = stablehlo.uniform_dequantize %a : (tensor<2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>) -> tensor<2xf32>
  return
}

// -----

// quantized_element_c13: each index of the quantized dimension has a scale.
func.func @scales(%a: tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0, 3.0}>>) {
  // expected-error@+1 {{must be quantized tensor, but got 'tensor<2x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00,3.000000e+00}>>'}}
  %0 = stablehlo.uniform_dequantize %a : (tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0, 3.0}>>) -> tensor<2xf32>
  return
}

// -----

// integer_literal_c1: an integer is in the type's range.
func.func @integer() {
  // expected-error@+1 {{integer constant out of range for type}}
  %0 = stablehlo.constant dense<300> : tensor<i8>
  return
}

// -----

// float_literal_c1: a floating-point number has a point.
func.func @float() {
  // expected-note@+2 {{add a trailing dot}}
  // expected-error@+1 {{unexpected decimal integer literal for a floating point value}}
  %0 = stablehlo.constant dense<1> : tensor<f32>
  return
}

// -----

// float_literal_c2: a hexadecimal number has at most the bits of its type.
func.func @hexadecimal() {
  // expected-error@+1 {{hexadecimal float constant out of range for type}}
  %0 = stablehlo.constant dense<0x7F800000> : tensor<f16>
  return
}

// -----

// complex_literal_c1: the real part has the type of real parts in the complex type.
func.func @real_part() {
  // expected-note@+2 {{add a trailing dot}}
  // expected-error@+1 {{unexpected decimal integer literal for a floating point value}}
  %0 = stablehlo.constant dense<(1, 2.0)> : tensor<complex<f32>>
  return
}

// -----

// complex_literal_c2: the imaginary part has the type of imaginary parts in the complex type.
func.func @imaginary_part() {
  // expected-note@+2 {{add a trailing dot}}
  // expected-error@+1 {{unexpected decimal integer literal for a floating point value}}
  %0 = stablehlo.constant dense<(1.0, 2)> : tensor<complex<f32>>
  return
}

// -----

// tensor_literal_c1: elements have the element type.
func.func @elements() {
  // expected-error@+1 {{expected integer elements, but parsed floating-point}}
  %0 = stablehlo.constant dense<[true, 1.0]> : tensor<2xi1>
  return
}

// -----

// tensor_literal_c2: the literal has the tensor's shape.
func.func @shape() {
  // expected-error@+1 {{does not match type ([3])}}
  %0 = stablehlo.constant dense<[1, 2]> : tensor<3xi32>
  return
}

// -----

// quantized_literal_c1: elements of a quantized tensor are of its storage type.
func.func @stored_elements() {
  // expected-error@+1 {{expects the value of type 'tensor<2xi8>', got 'tensor<2xi16>' (constant_c1)}}
  %0 = "stablehlo.constant"() {value = dense<[1, 2]> : tensor<2xi16>} : () -> tensor<2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

// quantized_literal_c2: the literal has the tensor's shape.
func.func @stored_shape() {
  // expected-error@+1 {{expects the value of type 'tensor<3xi8>', got 'tensor<2xi8>' (constant_c1)}}
  %0 = "stablehlo.constant"() {value = dense<[1, 2]> : tensor<2xi8>} : () -> tensor<3x!quant.uniform<i8:f32, 1.0>>
  return
}
