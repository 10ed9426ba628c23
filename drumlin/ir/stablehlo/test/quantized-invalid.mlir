// RUN: drumlin-opt %s -split-input-file -verify-diagnostics

// One invalid program for each constraint on quantized elements, except for conversions to and from them.

// Either all operands and the result are quantized, or none.
func.func @add_c2(%a: tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>, %b: tensor<2x2xf32>) {
  // expected-error@+1 {{(add_c2)}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>, tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>
  return
}

// -----

// The storage types must be equal.
func.func @add_c3(%a: tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>, %b: tensor<2x2x!quant.uniform<i16:f32, 2.0:15>>) {
  // expected-error@+1 {{(add_c3)}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>, tensor<2x2x!quant.uniform<i16:f32, 2.0:15>>) -> tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>
  return
}

// -----

// The storage types must have the same signedness.
func.func @add_c3(%a: tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>, %b: tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>) {
  // expected-error@+1 {{(add_c3)}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>, tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>) -> tensor<2x2x!quant.uniform<u8:f32, 2.0:15>>
  return
}

// -----

// The expressed types must be equal.
func.func @add_c4(%a: tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>, %b: tensor<2x2x!quant.uniform<i8:bf16, 2.0:15>>) {
  // expected-error@+1 {{(add_c4)}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>, tensor<2x2x!quant.uniform<i8:bf16, 2.0:15>>) -> tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>
  return
}

// -----

// If an operand is quantized per axis, so is the result.
func.func @add_c5(%a: tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, %b: tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>) {
  // expected-error@+1 {{(add_c5)}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>) -> tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>
  return
}

// -----

// The result must be quantized along the axis of lhs.
func.func @add_c6(%a: tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, %b: tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>) {
  // expected-error@+1 {{(add_c6)}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>
  return
}

// -----

// The result must be quantized along the axis of rhs.
func.func @add_c7(%a: tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>, %b: tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error@+1 {{(add_c7)}}
  %0 = "stablehlo.add"(%a, %b) : (tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>, tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>
  return
}

// -----

// A quantized result needs a quantized rhs.
func.func @dot_general_c14(%a: tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>, %b: tensor<2x2xf32>) {
  // expected-error@+1 {{(dot_general_c14)}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>, tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>
  return
}

// -----

// The zero points of weights must be 0.
func.func @dot_general_c15(%a: tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>, %b: tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>) {
  // expected-error@+1 {{(dot_general_c15)}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>, tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>) -> tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>
  return
}

// -----

// The storage types must be equal.
func.func @dot_general_c17(%a: tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>, %b: tensor<2x2x!quant.uniform<i16:f32, 2.0>>) {
  // expected-error@+1 {{(dot_general_c17)}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>, tensor<2x2x!quant.uniform<i16:f32, 2.0>>) -> tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>
  return
}

// -----

// The expressed types must be equal.
func.func @dot_general_c18(%a: tensor<2x2x!quant.uniform<i8:bf16, 2.0:15>>, %b: tensor<2x2x!quant.uniform<i8:f32, 2.0>>) {
  // expected-error@+1 {{(dot_general_c18)}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:bf16, 2.0:15>>, tensor<2x2x!quant.uniform<i8:f32, 2.0>>) -> tensor<2x2x!quant.uniform<i8:bf16, 2.0:15>>
  return
}

// -----

// Weights quantized per tensor need a result quantized per tensor.
func.func @dot_general_c19(%a: tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>, %b: tensor<2x2x!quant.uniform<i8:f32, 2.0>>) {
  // expected-error@+1 {{(dot_general_c19)}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>, tensor<2x2x!quant.uniform<i8:f32, 2.0>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>
  return
}

// -----

// If only the weights are quantized, lhs and the result must have the weights' expressed type.
func.func @dot_general_c20(%a: tensor<2x2xbf16>, %b: tensor<2x2x!quant.uniform<i8:f32, 2.0>>) {
  // expected-error@+1 {{(dot_general_c20)}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x2xbf16>, tensor<2x2x!quant.uniform<i8:f32, 2.0>>) -> tensor<2x2xbf16>
  return
}

// -----

// The quantized dimension must not change.
func.func @reshape_c3(%a: tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error@+1 {{(reshape_c3)}}
  %0 = stablehlo.reshape %a : (tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<3x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>
  return
}

// -----

// The result must be quantized per axis like the operand.
func.func @transpose_c1(%a: tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error@+1 {{(transpose_c1)}}
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<3x2x!quant.uniform<i8:f32, 2.0:15>>
  return
}

// -----

// A quantized result needs a quantized kernel.
func.func @convolution_c28(%a: tensor<1x4x4x2x!quant.uniform<i8:f32, 2.0:15>>, %b: tensor<3x3x2x2xf32>) {
  // expected-error@+1 {{(convolution_c28)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 2.0:15>>, tensor<3x3x2x2xf32>) -> tensor<1x2x2x2x!quant.uniform<i8:f32, 2.0:15>>
  return
}

// -----

// A kernel quantized per axis must be quantized along its output features.
func.func @convolution_c29(%a: tensor<1x4x4x2x!quant.uniform<i8:f32, 2.0:15>>, %b: tensor<3x3x2x2x!quant.uniform<i8:f32:2, {1.0, 2.0}>>) {
  // expected-error@+1 {{(convolution_c29)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 2.0:15>>, tensor<3x3x2x2x!quant.uniform<i8:f32:2, {1.0, 2.0}>>) -> tensor<1x2x2x2x!quant.uniform<i8:f32, 2.0:15>>
  return
}

// -----

// A result quantized per axis must be quantized along its features.
func.func @convolution_c30(%a: tensor<1x4x4x2x!quant.uniform<i8:f32, 2.0:15>>, %b: tensor<3x3x2x2x!quant.uniform<i8:f32:3, {1.0, 2.0}>>) {
  // expected-error@+1 {{(convolution_c30)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 2.0:15>>, tensor<3x3x2x2x!quant.uniform<i8:f32:3, {1.0, 2.0}>>) -> tensor<1x2x2x2x!quant.uniform<i8:f32:2, {1.0, 2.0}>>
  return
}

// -----

// The storage types must be equal.
func.func @convolution_c31(%a: tensor<1x4x4x2x!quant.uniform<i8:f32, 2.0:15>>, %b: tensor<3x3x2x2x!quant.uniform<i16:f32, 2.0>>) {
  // expected-error@+1 {{(convolution_c31)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 2.0:15>>, tensor<3x3x2x2x!quant.uniform<i16:f32, 2.0>>) -> tensor<1x2x2x2x!quant.uniform<i8:f32, 2.0:15>>
  return
}

// -----

// The expressed types must be equal.
func.func @convolution_c32(%a: tensor<1x4x4x2x!quant.uniform<i8:bf16, 2.0:15>>, %b: tensor<3x3x2x2x!quant.uniform<i8:f32, 2.0>>) {
  // expected-error@+1 {{(convolution_c32)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:bf16, 2.0:15>>, tensor<3x3x2x2x!quant.uniform<i8:f32, 2.0>>) -> tensor<1x2x2x2x!quant.uniform<i8:bf16, 2.0:15>>
  return
}

// -----

// A kernel quantized per tensor needs a result quantized per tensor.
func.func @convolution_c33(%a: tensor<1x4x4x2x!quant.uniform<i8:f32, 2.0:15>>, %b: tensor<3x3x2x2x!quant.uniform<i8:f32, 2.0>>) {
  // expected-error@+1 {{(convolution_c33)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 2.0:15>>, tensor<3x3x2x2x!quant.uniform<i8:f32, 2.0>>) -> tensor<1x2x2x2x!quant.uniform<i8:f32:3, {1.0, 2.0}>>
  return
}

// -----

// If only the kernel is quantized, lhs and the result must have the kernel's expressed type.
func.func @convolution_c34(%a: tensor<1x4x4x2xbf16>, %b: tensor<3x3x2x2x!quant.uniform<i8:f32, 2.0>>) {
  // expected-error@+1 {{(convolution_c34)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xbf16>, tensor<3x3x2x2x!quant.uniform<i8:f32, 2.0>>) -> tensor<1x2x2x2xbf16>
  return
}

// -----

// rhs must not be quantized along a contracting dimension.
func.func @dot_general_c16(%a: tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>, %b: tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error@+1 {{(dot_general_c16)}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>, tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32, 2.0:15>>
  return
}

// -----

// The quantized dimension must be permuted like the sizes.
func.func @transpose_c4(%a: tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error@+1 {{(transpose_c4)}}
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

// The result must be quantized along the dimension to which the operand's quantized dimension is broadcast.
func.func @broadcast_in_dim_c6(%a: tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error@+1 {{(broadcast_in_dim_c6)}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}
