// RUN: drumlin run %s --interpret

// Quantized elements.

func.func @main() {
  // Computes (x - zero point) * scale, and the inverse with rounding to nearest even and clamping.
  %c1 = stablehlo.constant dense<[1.0, -2.25, 1000.0]> : tensor<3xf32>
  %r2 = stablehlo.uniform_quantize %c1 : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 5.000000e-01:10>>
  %r3 = stablehlo.bitcast_convert %r2 : (tensor<3x!quant.uniform<i8:f32, 5.000000e-01:10>>) -> tensor<3xi8>
  %c4 = stablehlo.constant dense<[12, 6, 127]> : tensor<3xi8>
  stablehlo.custom_call @check.expect_eq(%r3, %c4) {has_side_effect = true} : (tensor<3xi8>, tensor<3xi8>) -> ()
  %r5 = stablehlo.uniform_dequantize %r2 : (tensor<3x!quant.uniform<i8:f32, 5.000000e-01:10>>) -> tensor<3xf32>
  %c6 = stablehlo.constant dense<[1.0, -2.0, 58.5]> : tensor<3xf32>
  stablehlo.custom_call @check.expect_eq(%r5, %c6) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()

  // Arithmetic on the expressed numbers; the constant is a stored integer.
  %q = "stablehlo.constant"() {value = dense<[12, 8, 127]> : tensor<3xi8>} : () -> tensor<3x!quant.uniform<i8:f32, 5.000000e-01:10>>
  %r7 = stablehlo.add %q, %q : tensor<3x!quant.uniform<i8:f32, 5.000000e-01:10>>
  %r8 = stablehlo.uniform_dequantize %r7 : (tensor<3x!quant.uniform<i8:f32, 5.000000e-01:10>>) -> tensor<3xf32>
  %c9 = stablehlo.constant dense<[2.0, -2.0, 58.5]> : tensor<3xf32>
  stablehlo.custom_call @check.expect_eq(%r8, %c9) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
  %r10 = stablehlo.compare GT, %q, %r2 : (tensor<3x!quant.uniform<i8:f32, 5.000000e-01:10>>, tensor<3x!quant.uniform<i8:f32, 5.000000e-01:10>>) -> tensor<3xi1>
  %c11 = stablehlo.constant dense<[false, true, false]> : tensor<3xi1>
  stablehlo.custom_call @check.expect_eq(%r10, %c11) {has_side_effect = true} : (tensor<3xi1>, tensor<3xi1>) -> ()
  %r12 = stablehlo.uniform_quantize %r2 : (tensor<3x!quant.uniform<i8:f32, 5.000000e-01:10>>) -> tensor<3x!quant.uniform<i8:f32, 1.000000e+00>>
  %r13 = stablehlo.uniform_dequantize %r12 : (tensor<3x!quant.uniform<i8:f32, 1.000000e+00>>) -> tensor<3xf32>
  %c14 = stablehlo.constant dense<[1.0, -2.0, 58.0]> : tensor<3xf32>
  stablehlo.custom_call @check.expect_eq(%r13, %c14) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()

  // A scale for each column; data movement moves the stored integers.
  %c15 = stablehlo.constant dense<[[1.0, 10.0], [2.0, 20.0]]> : tensor<2x2xf32>
  %r16 = stablehlo.uniform_quantize %c15 : (tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32:1, {1.000000e+00,1.000000e+01}>>
  %r17 = stablehlo.bitcast_convert %r16 : (tensor<2x2x!quant.uniform<i8:f32:1, {1.000000e+00,1.000000e+01}>>) -> tensor<2x2xi8>
  %c18 = stablehlo.constant dense<[[1, 1], [2, 2]]> : tensor<2x2xi8>
  stablehlo.custom_call @check.expect_eq(%r17, %c18) {has_side_effect = true} : (tensor<2x2xi8>, tensor<2x2xi8>) -> ()
  %r19 = stablehlo.transpose %r16, dims = [1, 0] : (tensor<2x2x!quant.uniform<i8:f32:1, {1.000000e+00,1.000000e+01}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.000000e+00,1.000000e+01}>>
  %r20 = stablehlo.uniform_dequantize %r19 : (tensor<2x2x!quant.uniform<i8:f32:0, {1.000000e+00,1.000000e+01}>>) -> tensor<2x2xf32>
  %c21 = stablehlo.constant dense<[[1.0, 2.0], [10.0, 20.0]]> : tensor<2x2xf32>
  stablehlo.custom_call @check.expect_eq(%r20, %c21) {has_side_effect = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()

  // A dot in which only the weights are quantized.
  %c22 = stablehlo.constant dense<[[1.0, 1.0]]> : tensor<1x2xf32>
  %r23 = stablehlo.dot_general %c22, %r19, contracting_dims = [1] x [1] : (tensor<1x2xf32>, tensor<2x2x!quant.uniform<i8:f32:0, {1.000000e+00,1.000000e+01}>>) -> tensor<1x2xf32>
  %c24 = stablehlo.constant dense<[[3.0, 30.0]]> : tensor<1x2xf32>
  stablehlo.custom_call @check.expect_eq(%r23, %c24) {has_side_effect = true} : (tensor<1x2xf32>, tensor<1x2xf32>) -> ()
  return
}
