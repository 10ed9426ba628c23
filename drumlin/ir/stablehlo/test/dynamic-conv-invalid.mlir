// RUN: drumlin-opt %s -split-input-file -verify-diagnostics

// One invalid program for each constraint on dynamic_conv; the constraints on ranks and padding are
// in dynamic-invalid.mlir.

// Each spatial dimension needs a stride.
func.func @dynamic_conv_c2(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c2)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 1>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// Strides must be positive.
func.func @dynamic_conv_c3(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c3)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 0, 1>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// Each spatial dimension needs an input dilation.
func.func @dynamic_conv_c5(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c5)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, lhs_dilation = array<i64: 1>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// Input dilations are positive.
func.func @dynamic_conv_c6(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c6)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, lhs_dilation = array<i64: 0, 1>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// Each spatial dimension needs a kernel dilation.
func.func @dynamic_conv_c7(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c7)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, rhs_dilation = array<i64: 1, 1, 1>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// Kernel dilations are positive.
func.func @dynamic_conv_c8(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c8)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, rhs_dilation = array<i64: 1, -1>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// Each spatial dimension needs a reversal.
func.func @dynamic_conv_c9(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c9)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_reversal = array<i1: false>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// The number of batch groups must divide the batch size.
func.func @dynamic_conv_c10(%a: tensor<5x8x8x2xf32>, %b: tensor<3x3x2x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c10)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 1, 1>, batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<5x8x8x2xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// The number of feature groups must divide the number of input features.
func.func @dynamic_conv_c11(%a: tensor<4x8x8x3xf32>, %b: tensor<3x3x2x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c11)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 1, 1>, batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<4x8x8x3xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// All input dimensions but two are spatial.
func.func @dynamic_conv_c12(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c12)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>}> : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// No input dimension has two roles.
func.func @dynamic_conv_c13(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c13)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 3], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>}> : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// Input dimensions are in range.
func.func @dynamic_conv_c13_range(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c13)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 4], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>}> : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// The kernel must have the number of input features of one group.
func.func @dynamic_conv_c14(%a: tensor<4x8x8x4xf32>, %b: tensor<3x3x2x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c14)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 1, 1>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x4xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// The number of batch groups must divide the number of output features.
func.func @dynamic_conv_c15(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x5xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c15)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 1, 1>, batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x5xf32>, tensor<2x2xi64>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// The number of feature groups must divide the number of output features.
func.func @dynamic_conv_c16(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x1x5xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c16)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 1, 1>, batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x1x5xf32>, tensor<2x2xi64>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// All kernel dimensions but two are spatial.
func.func @dynamic_conv_c17(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c17)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>}> : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// No kernel dimension has two roles.
func.func @dynamic_conv_c18(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c18)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 3, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>}> : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// All output dimensions but two are spatial.
func.func @dynamic_conv_c19(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c19)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = []>}> : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// No output dimension has two roles.
func.func @dynamic_conv_c20(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c20)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 3, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>}> : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// There must be at least one feature group.
func.func @dynamic_conv_c21(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c21)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 1, 1>, batch_group_count = 1 : i64, feature_group_count = 0 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// There must be at least one batch group.
func.func @dynamic_conv_c22(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c22)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 1, 1>, batch_group_count = 0 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// Only one of feature groups and batch groups may be more than 1.
func.func @dynamic_conv_c23(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c23)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 1, 1>, batch_group_count = 2 : i64, feature_group_count = 2 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// There is at most one precision per operand.
func.func @dynamic_conv_c24(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c24)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 1, 1>, batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>, #stablehlo<precision HIGH>]} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// The result must have one element for each window position.
func.func @dynamic_conv_c25(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c25)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 1, 1>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<5x6x6x6xf32>
  return
}

// -----

// Operands must have the same kind of numbers.
func.func @dynamic_conv_c27(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xi32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c27)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 1, 1>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xi32>, tensor<2x2xi64>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// A quantized result needs a quantized kernel.
func.func @dynamic_conv_c28(%a: tensor<1x4x4x2x!quant.uniform<i8:f32, 2.0:15>>, %b: tensor<3x3x2x2xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c28)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 2.0:15>>, tensor<3x3x2x2xf32>, tensor<2x2xi64>) -> tensor<1x2x2x2x!quant.uniform<i8:f32, 2.0:15>>
  return
}

// -----

// A kernel quantized per axis must be quantized along its output features.
func.func @dynamic_conv_c29(%a: tensor<1x4x4x2x!quant.uniform<i8:f32, 2.0:15>>, %b: tensor<3x3x2x2x!quant.uniform<i8:f32:2, {1.0, 2.0}>>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c29)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 2.0:15>>, tensor<3x3x2x2x!quant.uniform<i8:f32:2, {1.0, 2.0}>>, tensor<2x2xi64>) -> tensor<1x2x2x2x!quant.uniform<i8:f32, 2.0:15>>
  return
}

// -----

// A result quantized per axis must be quantized along its features.
func.func @dynamic_conv_c30(%a: tensor<1x4x4x2x!quant.uniform<i8:f32, 2.0:15>>, %b: tensor<3x3x2x2x!quant.uniform<i8:f32:3, {1.0, 2.0}>>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c30)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 2.0:15>>, tensor<3x3x2x2x!quant.uniform<i8:f32:3, {1.0, 2.0}>>, tensor<2x2xi64>) -> tensor<1x2x2x2x!quant.uniform<i8:f32:2, {1.0, 2.0}>>
  return
}

// -----

// The storage types must be equal.
func.func @dynamic_conv_c31(%a: tensor<1x4x4x2x!quant.uniform<i8:f32, 2.0:15>>, %b: tensor<3x3x2x2x!quant.uniform<i16:f32, 2.0>>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c31)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 2.0:15>>, tensor<3x3x2x2x!quant.uniform<i16:f32, 2.0>>, tensor<2x2xi64>) -> tensor<1x2x2x2x!quant.uniform<i8:f32, 2.0:15>>
  return
}

// -----

// The expressed types must be equal.
func.func @dynamic_conv_c32(%a: tensor<1x4x4x2x!quant.uniform<i8:bf16, 2.0:15>>, %b: tensor<3x3x2x2x!quant.uniform<i8:f32, 2.0>>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c32)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:bf16, 2.0:15>>, tensor<3x3x2x2x!quant.uniform<i8:f32, 2.0>>, tensor<2x2xi64>) -> tensor<1x2x2x2x!quant.uniform<i8:bf16, 2.0:15>>
  return
}

// -----

// A kernel quantized per tensor needs a result quantized per tensor.
func.func @dynamic_conv_c33(%a: tensor<1x4x4x2x!quant.uniform<i8:f32, 2.0:15>>, %b: tensor<3x3x2x2x!quant.uniform<i8:f32, 2.0>>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c33)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 2.0:15>>, tensor<3x3x2x2x!quant.uniform<i8:f32, 2.0>>, tensor<2x2xi64>) -> tensor<1x2x2x2x!quant.uniform<i8:f32:3, {1.0, 2.0}>>
  return
}

// -----

// If only the kernel is quantized, lhs and the result must have the kernel's expressed type.
func.func @dynamic_conv_c34(%a: tensor<1x4x4x2xbf16>, %b: tensor<3x3x2x2x!quant.uniform<i8:f32, 2.0>>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c34)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x2xbf16>, tensor<3x3x2x2x!quant.uniform<i8:f32, 2.0>>, tensor<2x2xi64>) -> tensor<1x2x2x2xbf16>
  return
}
