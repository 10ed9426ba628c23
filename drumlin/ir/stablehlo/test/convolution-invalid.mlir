// RUN: drumlin-opt %s -split-input-file -verify-diagnostics

// One invalid program for each constraint on convolution.

// Operands must have the same rank.
func.func @convolution_c1(%a: tensor<4x8x8x2xf32>, %b: tensor<3x2x6xf32>) {
  // expected-error@+1 {{(convolution_c1, convolution_c26)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x2x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// Each spatial dimension needs a stride.
func.func @convolution_c2(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{(convolution_c2)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// Strides must be positive.
func.func @convolution_c3(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{(convolution_c3)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [0, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// Each spatial dimension needs a pair of paddings.
func.func @convolution_c4(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{(convolution_c4)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// Each spatial dimension needs an input dilation.
func.func @convolution_c5(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{(convolution_c5)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {lhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// Input dilations are positive.
func.func @convolution_c6(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{(convolution_c6)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {lhs_dilate = [0, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// Each spatial dimension needs a kernel dilation.
func.func @convolution_c7(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{(convolution_c7)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {rhs_dilate = [1, 1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// Kernel dilations are positive.
func.func @convolution_c8(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{(convolution_c8)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {rhs_dilate = [1, -1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// Each spatial dimension needs a reversal.
func.func @convolution_c9(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{(convolution_c9)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// The number of batch groups must divide the batch size.
func.func @convolution_c10(%a: tensor<5x8x8x2xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{(convolution_c10)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<5x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// The number of feature groups must divide the number of input features.
func.func @convolution_c11(%a: tensor<4x8x8x3xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{(convolution_c11)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<4x8x8x3xf32>, tensor<3x3x2x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// All input dimensions but two are spatial.
func.func @convolution_c12(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{(convolution_c12)}}
  %0 = "stablehlo.convolution"(%a, %b) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>}> : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// No input dimension has two roles.
func.func @convolution_c13(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{(convolution_c13)}}
  %0 = "stablehlo.convolution"(%a, %b) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 3], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>}> : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// Input dimensions are in range.
func.func @convolution_c13_range(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{(convolution_c13)}}
  %0 = "stablehlo.convolution"(%a, %b) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 4], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>}> : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// The kernel must have the number of input features of one group.
func.func @convolution_c14(%a: tensor<4x8x8x4xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{(convolution_c14)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x4xf32>, tensor<3x3x2x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// The number of batch groups must divide the number of output features.
func.func @convolution_c15(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x5xf32>) {
  // expected-error@+1 {{(convolution_c15)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x5xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// The number of feature groups must divide the number of output features.
func.func @convolution_c16(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x1x5xf32>) {
  // expected-error@+1 {{(convolution_c16)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x1x5xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// All kernel dimensions but two are spatial.
func.func @convolution_c17(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{(convolution_c17)}}
  %0 = "stablehlo.convolution"(%a, %b) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>}> : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// No kernel dimension has two roles.
func.func @convolution_c18(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{(convolution_c18)}}
  %0 = "stablehlo.convolution"(%a, %b) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 3, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>}> : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// All output dimensions but two are spatial.
func.func @convolution_c19(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{(convolution_c19)}}
  %0 = "stablehlo.convolution"(%a, %b) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = []>}> : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// No output dimension has two roles.
func.func @convolution_c20(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{(convolution_c20)}}
  %0 = "stablehlo.convolution"(%a, %b) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 3, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>}> : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// There must be at least one feature group.
func.func @convolution_c21(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{(convolution_c21)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 0 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// There must be at least one batch group.
func.func @convolution_c22(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{(convolution_c22)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 0 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// Only one of feature groups and batch groups may be more than 1.
func.func @convolution_c23(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{(convolution_c23)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 2 : i64, feature_group_count = 2 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// There is at most one precision per operand.
func.func @convolution_c24(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{(convolution_c24)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>, #stablehlo<precision HIGH>]} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// The result must have one element for each window position.
func.func @convolution_c25(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{(convolution_c25)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x8x8x6xf32>
  return
}

// -----

// The padding must not make a size overflow.
func.func @convolution_c25_overflow(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{overflows 64 bits (convolution_c25)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[9223372036854775807, 1], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// The result is of the operands' rank.
func.func @convolution_c26(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{(convolution_c1, convolution_c26)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x6x6xf32>
  return
}

// -----

// Operands must have the same kind of numbers.
func.func @convolution_c27(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xi32>) {
  // expected-error@+1 {{(convolution_c27)}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xi32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// A role must be one of the input's letters.
func.func @convolution_letters(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{got `x`}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, x]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x6x6x6xf32>
  return
}

// -----

// Spatial dimensions must be numbered from 0.
func.func @convolution_spatial(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>) {
  // expected-error@+1 {{once, got 2}}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 2, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x6x6x6xf32>
  return
}
