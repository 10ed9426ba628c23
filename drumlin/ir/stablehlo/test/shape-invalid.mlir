// RUN: drumlin-opt %s -split-input-file -verify-diagnostics

// One invalid program for each constraint on operations that move elements.

// If the element width stays the same, the shape must stay the same.
func.func @bitcast_convert_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(bitcast_convert_c1)}}
  %0 = stablehlo.bitcast_convert %a : (tensor<2x3xf32>) -> tensor<3x2xi32>
  return
}

// -----

// Narrower elements add a last dimension.
func.func @bitcast_convert_c1_narrower(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(bitcast_convert_c1)}}
  %0 = stablehlo.bitcast_convert %a : (tensor<2x3xf32>) -> tensor<2x3x3xi16>
  return
}

// -----

// Wider elements remove the last dimension.
func.func @bitcast_convert_c1_wider(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(bitcast_convert_c1)}}
  %0 = stablehlo.bitcast_convert %a : (tensor<2x3xf32>) -> tensor<2xi64>
  return
}

// -----

// Complex numbers stay complex.
func.func @bitcast_convert_c2(%a: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{(bitcast_convert_c2)}}
  %0 = stablehlo.bitcast_convert %a : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
  return
}

// -----

// The element type must not change.
func.func @broadcast_in_dim_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(broadcast_in_dim_c1)}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xf64>
  return
}

// -----

// Each operand dimension needs a result dimension.
func.func @broadcast_in_dim_c2(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(broadcast_in_dim_c2)}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// The listed dimensions must be dimensions of the result.
func.func @broadcast_in_dim_c3(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(broadcast_in_dim_c3)}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// Each dimension must occur only once.
func.func @broadcast_in_dim_c4(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(broadcast_in_dim_c4)}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [1, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// Only dimensions of size 1 can be expanded.
func.func @broadcast_in_dim_c5(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(broadcast_in_dim_c5)}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// Inputs must have the same element type.
func.func @concatenate_c1(%a: tensor<2x3xf32>, %b: tensor<2x3xf64>) {
  // expected-error@+1 {{(concatenate_c1)}}
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf64>) -> tensor<4x3xf32>
  return
}

// -----

// Inputs must have equal shapes except along the concatenated dimension.
func.func @concatenate_c2(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@+1 {{(concatenate_c2)}}
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

// There must be at least one input.
func.func @concatenate_c3() {
  // expected-error@+1 {{(concatenate_c3)}}
  %0 = stablehlo.concatenate dim = 0 : () -> tensor<0xf32>
  return
}

// -----

// The dimension must be a dimension of the inputs.
func.func @concatenate_c4(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(concatenate_c4)}}
  %0 = stablehlo.concatenate %a, dim = 2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// The element type must not change.
func.func @concatenate_c5(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(concatenate_c5)}}
  %0 = stablehlo.concatenate %a, dim = 0 : (tensor<2x3xf32>) -> tensor<2x3xf64>
  return
}

// -----

// The result's size must be the sum of the inputs' sizes.
func.func @concatenate_c6(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(concatenate_c6)}}
  %0 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

// The sum of sizes must fit in 64 bits.
func.func @concatenate_c6_overflow(%a: tensor<9223372036854775807x0xf32>) {
  // expected-error@+1 {{overflows 64 bits (concatenate_c6)}}
  %0 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<9223372036854775807x0xf32>, tensor<9223372036854775807x0xf32>) -> tensor<1x0xf32>
  return
}

// -----

// The element type must not change.
func.func @dynamic_slice_c1(%a: tensor<2x3xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{(dynamic_slice_c1)}}
  %0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 1] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x1xf64>
  return
}

// -----

// Each dimension needs a start index.
func.func @dynamic_slice_c2(%a: tensor<2x3xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{(dynamic_slice_c2)}}
  %0 = stablehlo.dynamic_slice %a, %i, sizes = [1, 1] : (tensor<2x3xf32>, tensor<i32>) -> tensor<1x1xf32>
  return
}

// -----

// Each dimension needs a size.
func.func @dynamic_slice_c2_sizes(%a: tensor<2x3xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{(dynamic_slice_c2)}}
  %0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x1xf32>
  return
}

// -----

// Start indices must have the same type.
func.func @dynamic_slice_c3(%a: tensor<2x3xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  // expected-error@+1 {{(dynamic_slice_c3)}}
  %0 = stablehlo.dynamic_slice %a, %i, %j, sizes = [1, 1] : (tensor<2x3xf32>, tensor<i32>, tensor<i64>) -> tensor<1x1xf32>
  return
}

// -----

// Slices must be inside the operand.
func.func @dynamic_slice_c4(%a: tensor<2x3xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{(dynamic_slice_c4)}}
  %0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 4] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  return
}

// -----

// The result must have the slice sizes.
func.func @dynamic_slice_c5(%a: tensor<2x3xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{(dynamic_slice_c5)}}
  %0 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 2] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x1xf32>
  return
}

// -----

// The result has the operand's type.
func.func @dynamic_update_slice_c1(%a: tensor<2x3xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{(dynamic_update_slice_c1)}}
  %0 = stablehlo.dynamic_update_slice %a, %a, %i, %i : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
  return
}

// -----

// The update has the operand's element type.
func.func @dynamic_update_slice_c2(%a: tensor<2x3xf32>, %u: tensor<1x1xf64>, %i: tensor<i32>) {
  // expected-error@+1 {{(dynamic_update_slice_c2)}}
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %i : (tensor<2x3xf32>, tensor<1x1xf64>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return
}

// -----

// The update is of the operand's rank.
func.func @dynamic_update_slice_c3(%a: tensor<2x3xf32>, %u: tensor<1xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{(dynamic_update_slice_c3)}}
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %i : (tensor<2x3xf32>, tensor<1xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return
}

// -----

// Each dimension needs a start index.
func.func @dynamic_update_slice_c4(%a: tensor<2x3xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{(dynamic_update_slice_c4)}}
  %0 = stablehlo.dynamic_update_slice %a, %a, %i : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
  return
}

// -----

// Start indices must have the same type.
func.func @dynamic_update_slice_c5(%a: tensor<2x3xf32>, %i: tensor<i32>, %j: tensor<ui32>) {
  // expected-error@+1 {{(dynamic_update_slice_c5)}}
  %0 = stablehlo.dynamic_update_slice %a, %a, %i, %j : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<i32>, tensor<ui32>) -> tensor<2x3xf32>
  return
}

// -----

// Updates must be inside the operand.
func.func @dynamic_update_slice_c6(%a: tensor<2x3xf32>, %u: tensor<1x4xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{(dynamic_update_slice_c6)}}
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %i : (tensor<2x3xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return
}

// -----

// The padding value has the element type.
func.func @pad_c1(%a: tensor<3xf32>, %v: tensor<f64>) {
  // expected-error@+1 {{(pad_c1)}}
  %0 = stablehlo.pad %a, %v, low = [0], high = [0], interior = [0] : (tensor<3xf32>, tensor<f64>) -> tensor<3xf32>
  return
}

// -----

// Each dimension needs a low padding.
func.func @pad_c2(%a: tensor<3xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{(pad_c2)}}
  %0 = stablehlo.pad %a, %v, low = [], high = [0], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

// Interior padding must not be negative.
func.func @pad_c3(%a: tensor<3xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{(pad_c3)}}
  %0 = stablehlo.pad %a, %v, low = [0], high = [0], interior = [-1] : (tensor<3xf32>, tensor<f32>) -> tensor<1xf32>
  return
}

// -----

// The result's size must follow from the operand's size and the padding.
func.func @pad_c4(%a: tensor<3xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{(pad_c4)}}
  %0 = stablehlo.pad %a, %v, low = [1], high = [1], interior = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----

// Negative padding must not remove more elements than there are.
func.func @pad_c4_negative(%a: tensor<3xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{to a negative size (pad_c4)}}
  %0 = stablehlo.pad %a, %v, low = [-4], high = [0], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<0xf32>
  return
}

// -----

// The result's size must fit in 64 bits.
func.func @pad_c4_overflow(%a: tensor<3xf32>, %v: tensor<f32>) {
  // expected-error@+1 {{overflows 64 bits (pad_c4)}}
  %0 = stablehlo.pad %a, %v, low = [0], high = [0], interior = [9223372036854775807] : (tensor<3xf32>, tensor<f32>) -> tensor<0xf32>
  return
}

// -----

// The element type must not change.
func.func @reshape_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(reshape_c1)}}
  %0 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<6xf64>
  return
}

// -----

// The number of elements must not change.
func.func @reshape_c2(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(reshape_c2)}}
  %0 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<7xf32>
  return
}

// -----

// The result has the operand's type.
func.func @reverse_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(reverse_c1)}}
  %0 = stablehlo.reverse %a, dims = [0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

// Each dimension must occur only once.
func.func @reverse_c2(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(reverse_c2)}}
  %0 = stablehlo.reverse %a, dims = [0, 0] : tensor<2x3xf32>
  return
}

// -----

// The listed dimensions must be dimensions of the operand.
func.func @reverse_c3(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(reverse_c3)}}
  %0 = stablehlo.reverse %a, dims = [2] : tensor<2x3xf32>
  return
}

// -----

// The element type must not change.
func.func @slice_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(slice_c1)}}
  %0 = stablehlo.slice %a [0:1, 0:1] : (tensor<2x3xf32>) -> tensor<1x1xf64>
  return
}

// -----

// Each dimension needs a range.
func.func @slice_c2(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(slice_c2)}}
  %0 = stablehlo.slice %a [0:1] : (tensor<2x3xf32>) -> tensor<1x3xf32>
  return
}

// -----

// Ranges must be inside the operand.
func.func @slice_c3(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(slice_c3)}}
  %0 = stablehlo.slice %a [0:1, 0:4] : (tensor<2x3xf32>) -> tensor<1x4xf32>
  return
}

// -----

// Limits must not be below starts.
func.func @slice_c3_backward(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(slice_c3)}}
  %0 = stablehlo.slice %a [0:1, 2:1] : (tensor<2x3xf32>) -> tensor<1x1xf32>
  return
}

// -----

// Strides must be positive.
func.func @slice_c4(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(slice_c4)}}
  %0 = stablehlo.slice %a [0:1, 0:3:0] : (tensor<2x3xf32>) -> tensor<1x3xf32>
  return
}

// -----

// The result has the ranges' sizes.
func.func @slice_c5(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(slice_c5)}}
  %0 = stablehlo.slice %a [0:1, 0:3:2] : (tensor<2x3xf32>) -> tensor<1x3xf32>
  return
}

// -----

// The element type must not change.
func.func @transpose_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(transpose_c1)}}
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf64>
  return
}

// -----

// Each dimension must occur only once.
func.func @transpose_c2(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(transpose_c2)}}
  %0 = stablehlo.transpose %a, dims = [0, 0] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

// Sizes must be permuted like the dimensions.
func.func @transpose_c3(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{(transpose_c3)}}
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
