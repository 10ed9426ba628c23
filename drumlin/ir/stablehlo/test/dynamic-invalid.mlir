// RUN: drumlin-opt %s -split-input-file -verify-diagnostics

// One invalid program for each constraint on operations whose sizes are operands.

// The result must have the operand's element type.
func.func @dynamic_broadcast_in_dim_c1(%a: tensor<3xf32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_broadcast_in_dim_c1)}}
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] : (tensor<3xf32>, tensor<2xi64>) -> tensor<2x3xf64>
  return
}

// -----

// Each operand dimension needs a result dimension.
func.func @dynamic_broadcast_in_dim_c2(%a: tensor<3xf32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_broadcast_in_dim_c2)}}
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0, 1] : (tensor<3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

// The listed dimensions must be dimensions of the result.
func.func @dynamic_broadcast_in_dim_c3(%a: tensor<3xf32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_broadcast_in_dim_c3)}}
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [2] : (tensor<3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

// Dimensions must be distinct.
func.func @dynamic_broadcast_in_dim_c4(%a: tensor<3x3xf32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_broadcast_in_dim_c4)}}
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1, 1] : (tensor<3x3xf32>, tensor<2xi64>) -> tensor<3x3xf32>
  return
}

// -----

// The operand's sizes must be 1 or equal to the result's sizes.
func.func @dynamic_broadcast_in_dim_c5(%a: tensor<3xf32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_broadcast_in_dim_c5)}}
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] : (tensor<3xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  return
}

// -----

// The result must be quantized along the dimension to which the operand's quantized dimension is broadcast.
func.func @dynamic_broadcast_in_dim_c6(%a: tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_broadcast_in_dim_c6)}}
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] : (tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, tensor<2xi64>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

// Each result dimension needs a size.
func.func @dynamic_broadcast_in_dim_c7(%a: tensor<3xf32>, %s: tensor<3xi64>) {
  // expected-error@+1 {{(dynamic_broadcast_in_dim_c7)}}
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] : (tensor<3xf32>, tensor<3xi64>) -> tensor<2x3xf32>
  return
}

// -----

// A dimension cannot be both expanding and nonexpanding.
func.func @dynamic_broadcast_in_dim_c8(%a: tensor<3xf32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_broadcast_in_dim_c8)}}
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] {known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<2xi64>) -> tensor<2x?xf32>
  return
}

// -----

// Expanding dimensions must be dimensions of the operand.
func.func @dynamic_broadcast_in_dim_c9(%a: tensor<3xf32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_broadcast_in_dim_c9)}}
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] {known_expanding_dimensions = array<i64: 1>} : (tensor<3xf32>, tensor<2xi64>) -> tensor<2x?xf32>
  return
}

// -----

// Nonexpanding dimensions must be dimensions of the operand.
func.func @dynamic_broadcast_in_dim_c10(%a: tensor<3xf32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_broadcast_in_dim_c10)}}
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] {known_nonexpanding_dimensions = array<i64: -1>} : (tensor<3xf32>, tensor<2xi64>) -> tensor<2x?xf32>
  return
}

// -----

// The sizes must be a vector of known length.
func.func @dynamic_gather_i3(%a: tensor<5x6x7xf32>, %i: tensor<3x2xi64>, %s: tensor<3x1xi64>) {
  // expected-error@+1 {{(dynamic_gather_i3)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>} : (tensor<5x6x7xf32>, tensor<3x2xi64>, tensor<3x1xi64>) -> tensor<3x?x?xf32>
  return
}

// -----

// The index vector dimension must be in range.
func.func @dynamic_gather_c2(%a: tensor<5x6x7xf32>, %i: tensor<3x2xi64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{(dynamic_gather_c2)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 3>} : (tensor<5x6x7xf32>, tensor<3x2xi64>, tensor<3xi64>) -> tensor<3x?x?xf32>
  return
}

// -----

// Each component of an index vector needs a dimension in the index map.
func.func @dynamic_gather_c3(%a: tensor<5x6x7xf32>, %i: tensor<3x2xi64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{(dynamic_gather_c3)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<5x6x7xf32>, tensor<3x2xi64>, tensor<3xi64>) -> tensor<3x?x?xf32>
  return
}

// -----

// Collapsed dimensions must be dimensions of the operand.
func.func @dynamic_gather_c7(%a: tensor<5x6x7xf32>, %i: tensor<3x2xi64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{(dynamic_gather_c7)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [3], start_index_map = [0, 1], index_vector_dim = 1>} : (tensor<5x6x7xf32>, tensor<3x2xi64>, tensor<3xi64>) -> tensor<3x?x?xf32>
  return
}

// -----

// The dimension must be a dimension of the result.
func.func @dynamic_iota_c1(%s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_iota_c1)}}
  %0 = stablehlo.dynamic_iota %s, dim = 2 : (tensor<2xi64>) -> tensor<?x?xi64>
  return
}

// -----

// Each dimension needs a size.
func.func @dynamic_iota_c2(%s: tensor<3xi64>) {
  // expected-error@+1 {{(dynamic_iota_c2)}}
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<3xi64>) -> tensor<?x?xi64>
  return
}

// -----

// The padding value must have the operand's element type.
func.func @dynamic_pad_c1(%a: tensor<3xf32>, %p: tensor<f64>, %s: tensor<1xi64>) {
  // expected-error@+1 {{(dynamic_pad_c1)}}
  %0 = stablehlo.dynamic_pad %a, %p, %s, %s, %s : (tensor<3xf32>, tensor<f64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// -----

// Each dimension needs a padding.
func.func @dynamic_pad_c2(%a: tensor<3xf32>, %p: tensor<f32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_pad_c2)}}
  %0 = stablehlo.dynamic_pad %a, %p, %s, %s, %s : (tensor<3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?xf32>
  return
}

// -----

// Interior padding must not be negative.
func.func @dynamic_pad_c3(%a: tensor<3xf32>, %p: tensor<f32>, %s: tensor<1xi64>) {
  %i = stablehlo.constant dense<-1> : tensor<1xi64>
  // expected-error@+1 {{(dynamic_pad_c3)}}
  %0 = stablehlo.dynamic_pad %a, %p, %s, %s, %i : (tensor<3xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// -----

// The result must have the operand's rank.
func.func @dynamic_pad_c4(%a: tensor<3xf32>, %p: tensor<f32>, %s: tensor<1xi64>) {
  // expected-error@+1 {{(dynamic_pad_c4)}}
  %0 = stablehlo.dynamic_pad %a, %p, %s, %s, %s : (tensor<3xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x?xf32>
  return
}

// -----

// The result must have the operand's element type.
func.func @dynamic_reshape_c1(%a: tensor<6xf32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_reshape_c1)}}
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<2x3xf64>
  return
}

// -----

// Operand and result must have the same number of elements.
func.func @dynamic_reshape_c2(%a: tensor<6xf32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_reshape_c2)}}
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  return
}

// -----

// Each dimension needs a size.
func.func @dynamic_reshape_c4(%a: tensor<6xf32>, %s: tensor<3xi64>) {
  // expected-error@+1 {{(dynamic_reshape_c4)}}
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<6xf32>, tensor<3xi64>) -> tensor<2x3xf32>
  return
}

// -----

// Each dimension needs an index.
func.func @real_dynamic_slice(%a: tensor<6xf32>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(real_dynamic_slice)}}
  %0 = stablehlo.real_dynamic_slice %a, %s, %s, %s : (tensor<6xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?xf32>
  return
}

// -----

// The dimension must be a dimension of the operand.
func.func @get_dimension_size_c1(%a: tensor<6xf32>) {
  // expected-error@+1 {{(get_dimension_size_c1)}}
  %0 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<6xf32>) -> tensor<i32>
  return
}

// -----

// The dimension must be a dimension of the operand.
func.func @set_dimension_size(%a: tensor<6xf32>, %n: tensor<i32>) {
  // expected-error@+1 {{(set_dimension_size)}}
  %0 = stablehlo.set_dimension_size %a, %n, dim = 1 : (tensor<6xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<6>>
  return
}

// -----

// Operands must have the same rank.
func.func @dynamic_conv_c1(%a: tensor<4x8x8x2xf32>, %b: tensor<3x2x6xf32>, %p: tensor<2x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c1, dynamic_conv_c26)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x2x6xf32>, tensor<2x2xi64>) -> tensor<4x?x?x6xf32>
  return
}

// -----

// Each spatial dimension needs a pair of paddings.
func.func @dynamic_conv_c4(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>, %p: tensor<3x2xi64>) {
  // expected-error@+1 {{(dynamic_conv_c4)}}
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>, tensor<3x2xi64>) -> tensor<4x?x?x6xf32>
  return
}

// -----

// A constant shape must have the same number of elements as the operand.
func.func @dynamic_reshape_c2(%a: tensor<6xf32>) {
  %c2_constant = stablehlo.constant dense<[2, 4]> : tensor<2xi64>
  // expected-error@+1 {{(dynamic_reshape_c2)}}
  %0 = stablehlo.dynamic_reshape %a, %c2_constant : (tensor<6xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

// The operand's sizes must be 1 or equal to those of a constant shape.
func.func @dynamic_broadcast_in_dim_c5(%a: tensor<3xf32>) {
  %c2_constant = stablehlo.constant dense<[2, 4]> : tensor<2xi64>
  // expected-error@+1 {{(dynamic_broadcast_in_dim_c5)}}
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %c2_constant, dims = [1] : (tensor<3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

// Every operand dimension must be either an offset dimension or collapsed.
func.func @dynamic_gather_c1(%a: tensor<5x6x7xf32>, %i: tensor<3x2xi64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{(dynamic_gather_c1)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>} : (tensor<5x6x7xf32>, tensor<3x2xi64>, tensor<3xi64>) -> tensor<3x?x?xf32>
  return
}

// -----

// Offset dimensions must ascend.
func.func @dynamic_gather_c4(%a: tensor<5x6x7xf32>, %i: tensor<3x2xi64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{(dynamic_gather_c4)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [2, 1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>} : (tensor<5x6x7xf32>, tensor<3x2xi64>, tensor<3xi64>) -> tensor<3x?x?xf32>
  return
}

// -----

// Offset dimensions must be dimensions of the result.
func.func @dynamic_gather_c5(%a: tensor<5x6x7xf32>, %i: tensor<3x2xi64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{(dynamic_gather_c5)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 3], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>} : (tensor<5x6x7xf32>, tensor<3x2xi64>, tensor<3xi64>) -> tensor<3x?x?xf32>
  return
}

// -----

// Collapsed dimensions must be distinct.
func.func @dynamic_gather_c6(%a: tensor<5x6x7xf32>, %i: tensor<3x2xi64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{(dynamic_gather_c6)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 0], start_index_map = [0, 1], index_vector_dim = 1>} : (tensor<5x6x7xf32>, tensor<3x2xi64>, tensor<3xi64>) -> tensor<3x?xf32>
  return
}

// -----

// Mapped dimensions must be distinct.
func.func @dynamic_gather_c9(%a: tensor<5x6x7xf32>, %i: tensor<3x2xi64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{(dynamic_gather_c9)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 0], index_vector_dim = 1>} : (tensor<5x6x7xf32>, tensor<3x2xi64>, tensor<3xi64>) -> tensor<3x?x?xf32>
  return
}

// -----

// Mapped dimensions must be dimensions of the operand.
func.func @dynamic_gather_c10(%a: tensor<5x6x7xf32>, %i: tensor<3x2xi64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{(dynamic_gather_c10)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 3], index_vector_dim = 1>} : (tensor<5x6x7xf32>, tensor<3x2xi64>, tensor<3xi64>) -> tensor<3x?x?xf32>
  return
}

// -----

// Each dimension needs a size.
func.func @dynamic_gather_c11(%a: tensor<5x6x7xf32>, %i: tensor<3x2xi64>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_gather_c11)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>} : (tensor<5x6x7xf32>, tensor<3x2xi64>, tensor<2xi64>) -> tensor<3x?x?xf32>
  return
}

// -----

// Slices must have at most one element along collapsed dimensions.
func.func @dynamic_gather_c8(%a: tensor<5x6x7xf32>, %i: tensor<3x2xi64>) {
  %s = stablehlo.constant dense<[2, 3, 4]> : tensor<3xi64>
  // expected-error@+1 {{(dynamic_gather_c8)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>} : (tensor<5x6x7xf32>, tensor<3x2xi64>, tensor<3xi64>) -> tensor<3x?x?xf32>
  return
}

// -----

// Slices must fit into the operand.
func.func @dynamic_gather_c12(%a: tensor<5x6x7xf32>, %i: tensor<3x2xi64>) {
  %s = stablehlo.constant dense<[1, 7, 4]> : tensor<3xi64>
  // expected-error@+1 {{(dynamic_gather_c12)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>} : (tensor<5x6x7xf32>, tensor<3x2xi64>, tensor<3xi64>) -> tensor<3x?x?xf32>
  return
}

// -----

// The result must have the shape of the slices.
func.func @dynamic_gather_c13(%a: tensor<5x6x7xf32>, %i: tensor<3x2xi64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{(dynamic_gather_c13)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>} : (tensor<5x6x7xf32>, tensor<3x2xi64>, tensor<3xi64>) -> tensor<4x?x?xf32>
  return
}

// -----

// The result must have the operand's element type.
func.func @dynamic_gather_c14(%a: tensor<5x6x7xf32>, %i: tensor<3x2xi64>, %s: tensor<3xi64>) {
  // expected-error@+1 {{(dynamic_gather_c14)}}
  %0 = "stablehlo.dynamic_gather"(%a, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>} : (tensor<5x6x7xf32>, tensor<3x2xi64>, tensor<3xi64>) -> tensor<3x?x?xf64>
  return
}

// -----

// The quantized dimension must not change.
func.func @dynamic_reshape_c3(%a: tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, %s: tensor<2xi64>) {
  // expected-error@+1 {{(dynamic_reshape_c3)}}
  %0 = stablehlo.dynamic_reshape %a, %s : (tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, tensor<2xi64>) -> tensor<3x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>
  return
}
