// RUN: drumlin-opt %s -split-input-file -verify-diagnostics

// One invalid program for each constraint on operations to and from quantized elements.

// The result must have the operand's shape.
func.func @uniform_quantize_c1(%a: tensor<2xf32>) {
  // expected-error@+1 {{(uniform_quantize_c1)}}
  %0 = stablehlo.uniform_quantize %a : (tensor<2xf32>) -> tensor<3x!quant.uniform<i8:f32, 2.0:15>>
  return
}

// -----

// The result's expressed type must be the operand's type.
func.func @uniform_quantize_c2(%a: tensor<2xf32>) {
  // expected-error@+1 {{(uniform_quantize_c2)}}
  %0 = stablehlo.uniform_quantize %a : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:bf16, 2.0:15>>
  return
}

// -----

// The result must have the operand's shape.
func.func @uniform_dequantize_c1(%a: tensor<2x!quant.uniform<i8:f32, 2.0:15>>) {
  // expected-error@+1 {{(uniform_dequantize_c1)}}
  %0 = stablehlo.uniform_dequantize %a : (tensor<2x!quant.uniform<i8:f32, 2.0:15>>) -> tensor<3xf32>
  return
}

// -----

// The result's type must be the operand's expressed type.
func.func @uniform_dequantize_c2(%a: tensor<2x!quant.uniform<i8:f32, 2.0:15>>) {
  // expected-error@+1 {{(uniform_dequantize_c2)}}
  %0 = stablehlo.uniform_dequantize %a : (tensor<2x!quant.uniform<i8:f32, 2.0:15>>) -> tensor<2xbf16>
  return
}
