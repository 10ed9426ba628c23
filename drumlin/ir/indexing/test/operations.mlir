// RUN: drumlin-opt %s | FileCheck %s
// CHECK: @bitcast_same

// Each function has one operation, whose operands are the arguments of the function. `exact` lists
// operands whose map leads only to elements from which results are computed; without a list, this
// holds for all operands. The maps of other operands may lead to more elements. `fixed` is the
// value that the last operand must have.

// Shapes.
func.func @bitcast_same(%x: tensor<2x3xf32>) -> tensor<2x3xi32> attributes {exact} {
  %r = stablehlo.bitcast_convert %x : (tensor<2x3xf32>) -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>
}
func.func @bitcast_to_narrow(%x: tensor<2x3xi32>) -> tensor<2x3x2xi16> {
  %r = stablehlo.bitcast_convert %x : (tensor<2x3xi32>) -> tensor<2x3x2xi16>
  return %r : tensor<2x3x2xi16>
}
func.func @bitcast_to_wide(%x: tensor<2x3x2xi16>) -> tensor<2x3xi32> attributes {exact} {
  %r = stablehlo.bitcast_convert %x : (tensor<2x3x2xi16>) -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>
}
func.func @broadcast_in_dim(%x: tensor<3x1x2xf32>) -> tensor<2x3x4xf32> attributes {exact} {
  %r = stablehlo.broadcast_in_dim %x, dims = [1, 2, 0] : (tensor<3x1x2xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}
func.func @broadcast_scalar(%x: tensor<f32>) -> tensor<2x3xf32> attributes {exact} {
  %r = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @concatenate(%x: tensor<2x3xf32>, %y: tensor<2x0xf32>, %z: tensor<2x1xf32>) -> tensor<2x4xf32> attributes {exact} {
  %r = stablehlo.concatenate %x, %y, %z, dim = 1 : (tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}
func.func @dynamic_slice(%x: tensor<5x4xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<2x4xf32> attributes {exact = array<i64: 0>} {
  %r = stablehlo.dynamic_slice %x, %i, %j, sizes = [2, 4] : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}
func.func @dynamic_update_slice(%x: tensor<5x4xf32>, %u: tensor<2x3xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<5x4xf32> attributes {exact = array<i64: 1>} {
  %r = stablehlo.dynamic_update_slice %x, %u, %i, %j : (tensor<5x4xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<5x4xf32>
  return %r : tensor<5x4xf32>
}
func.func @pad(%x: tensor<3x4xf32>, %p: tensor<f32>) -> tensor<8x3xf32> attributes {exact = array<i64: 0>} {
  %r = stablehlo.pad %x, %p, low = [2, -1], high = [1, 0], interior = [1, 0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<8x3xf32>
  return %r : tensor<8x3xf32>
}
func.func @pad_nothing(%x: tensor<0x4xf32>, %p: tensor<f32>) -> tensor<2x4xf32> attributes {exact} {
  %r = stablehlo.pad %x, %p, low = [2, 0], high = [0, 0], interior = [3, 0] : (tensor<0x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}
func.func @reshape(%x: tensor<2x3x4xf32>) -> tensor<6x1x4xf32> attributes {exact} {
  %r = stablehlo.reshape %x : (tensor<2x3x4xf32>) -> tensor<6x1x4xf32>
  return %r : tensor<6x1x4xf32>
}
func.func @reshape_across(%x: tensor<4x6xf32>) -> tensor<3x8xf32> attributes {exact} {
  %r = stablehlo.reshape %x : (tensor<4x6xf32>) -> tensor<3x8xf32>
  return %r : tensor<3x8xf32>
}
func.func @reverse(%x: tensor<3x4x2xf32>) -> tensor<3x4x2xf32> attributes {exact} {
  %r = stablehlo.reverse %x, dims = [0, 2] : tensor<3x4x2xf32>
  return %r : tensor<3x4x2xf32>
}
func.func @slice(%x: tensor<7x5xf32>) -> tensor<2x2xf32> attributes {exact} {
  %r = stablehlo.slice %x [1:6:3, 2:4] : (tensor<7x5xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}
func.func @transpose(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> attributes {exact} {
  %r = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  return %r : tensor<4x2x3xf32>
}
func.func @broadcast(%x: tensor<3xf32>) -> tensor<2x4x3xf32> attributes {exact} {
  %r = stablehlo.broadcast %x, sizes = [2, 4] : (tensor<3xf32>) -> tensor<2x4x3xf32>
  return %r : tensor<2x4x3xf32>
}
func.func @dynamic_broadcast_in_dim(%x: tensor<3x1xf32>, %s: tensor<2xi32>) -> tensor<2x3xf32> attributes {exact = array<i64: 0>, fixed = array<i64: 2, 3>} {
  %r = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1, 0] : (tensor<3x1xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @dynamic_reshape(%x: tensor<2x6xf32>, %s: tensor<2xi32>) -> tensor<4x3xf32> attributes {exact = array<i64: 0>, fixed = array<i64: 4, 3>} {
  %r = stablehlo.dynamic_reshape %x, %s : (tensor<2x6xf32>, tensor<2xi32>) -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}
func.func @set_dimension_size(%x: tensor<3xf32>, %s: tensor<i32>) -> tensor<3xf32> attributes {exact = array<i64: 0>, fixed = array<i64: 3>} {
  %r = stablehlo.set_dimension_size %x, %s, dim = 0 : (tensor<3xf32>, tensor<i32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
func.func @optimization_barrier(%x: tensor<3xf32>, %y: tensor<2x2xf32>) -> (tensor<3xf32>, tensor<2x2xf32>) attributes {exact} {
  %r:2 = stablehlo.optimization_barrier %x, %y : tensor<3xf32>, tensor<2x2xf32>
  return %r#0, %r#1 : tensor<3xf32>, tensor<2x2xf32>
}

// Elementwise operations.
func.func @add(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> attributes {exact} {
  %r = stablehlo.add %x, %y : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @select(%p: tensor<i1>, %x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = stablehlo.select %p, %x, %y : tensor<i1>, tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @select_each(%p: tensor<2x3xi1>, %x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = stablehlo.select %p, %x, %y : tensor<2x3xi1>, tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @clamp(%a: tensor<f32>, %x: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = "stablehlo.clamp"(%a, %x, %b) : (tensor<f32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @map(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> attributes {exact} {
  %r = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.subtract %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @chlo_broadcast_add(%x: tensor<3x1xf32>, %y: tensor<2x1x4xf32>) -> tensor<2x3x4xf32> attributes {exact} {
  %r = chlo.broadcast_add %x, %y : (tensor<3x1xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}
func.func @chlo_broadcast_placed(%x: tensor<2x1x4xf32>, %y: tensor<2x4xf32>) -> tensor<2x1x4xf32> attributes {exact} {
  %r = chlo.broadcast_subtract %x, %y {broadcast_dimensions = array<i64: 0, 2>} : (tensor<2x1x4xf32>, tensor<2x4xf32>) -> tensor<2x1x4xf32>
  return %r : tensor<2x1x4xf32>
}
func.func @chlo_broadcast_select(%p: tensor<1x3xi1>, %x: tensor<2x3xf32>, %y: tensor<f32>) -> tensor<2x3xf32> {
  %r = chlo.broadcast_select %p, %x, %y : (tensor<1x3xi1>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// Gather and scatter.
func.func @gather_rows(%x: tensor<5x3xf32>, %i: tensor<4x1xi32>) -> tensor<4x3xf32> attributes {exact = array<i64: 0>} {
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}
func.func @gather_windows(%x: tensor<4x5x3xf32>, %i: tensor<2x2xi32>) -> tensor<3x2x2xf32> attributes {exact = array<i64: 0>} {
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 0>, slice_sizes = array<i64: 1, 3, 2>}> : (tensor<4x5x3xf32>, tensor<2x2xi32>) -> tensor<3x2x2xf32>
  return %r : tensor<3x2x2xf32>
}
func.func @gather_batched(%x: tensor<2x5x3xf32>, %i: tensor<4x2xi32>) -> tensor<4x2x2xf32> attributes {exact = array<i64: 0>} {
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2>}> : (tensor<2x5x3xf32>, tensor<4x2xi32>) -> tensor<4x2x2xf32>
  return %r : tensor<4x2x2xf32>
}
func.func @scatter_rows(%x: tensor<5x3xf32>, %i: tensor<4x1xi32>, %u: tensor<4x2xf32>) -> tensor<5x3xf32> {
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<5x3xf32>, tensor<4x1xi32>, tensor<4x2xf32>) -> tensor<5x3xf32>
  return %r : tensor<5x3xf32>
}
func.func @scatter_windows(%x: tensor<5x4xf32>, %i: tensor<3x2xi32>, %u: tensor<2x3x2xf32>) -> tensor<5x4xf32> {
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 2], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<5x4xf32>, tensor<3x2xi32>, tensor<2x3x2xf32>) -> tensor<5x4xf32>
  return %r : tensor<5x4xf32>
}
func.func @scatter_batched(%x: tensor<2x5xf32>, %i: tensor<3x2xi32>, %u: tensor<3x2xf32>) -> tensor<2x5xf32> {
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x5xf32>, tensor<3x2xi32>, tensor<3x2xf32>) -> tensor<2x5xf32>
  return %r : tensor<2x5xf32>
}
func.func @torch_index_select(%x: tensor<2x4x3xf32>, %i: tensor<2x5xi32>) -> tensor<2x5x3xf32> attributes {exact = array<i64: 0>} {
  %r = "stablehlo.torch_index_select"(%x, %i) <{dim = 1 : i64, batch_dims = 1 : i64}> : (tensor<2x4x3xf32>, tensor<2x5xi32>) -> tensor<2x5x3xf32>
  return %r : tensor<2x5x3xf32>
}

// Reductions and windows.
func.func @reduce(%x: tensor<2x3x4xf32>, %z: tensor<f32>) -> tensor<3xf32> attributes {exact} {
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 2] : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
func.func @reduce_nothing(%x: tensor<2x0xf32>, %z: tensor<f32>) -> tensor<2xf32> attributes {exact} {
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x0xf32>, tensor<f32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func @reduce_window(%x: tensor<4x5xf32>, %z: tensor<f32>) -> tensor<6x2xf32> attributes {exact} {
  %r = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>, base_dilations = array<i64: 3, 1>, window_dilations = array<i64: 1, 2>, padding = dense<[[1, 1], [1, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<6x2xf32>
  return %r : tensor<6x2xf32>
}
func.func @select_and_scatter(%x: tensor<5x4xf32>, %s: tensor<3x2xf32>, %z: tensor<f32>) -> tensor<5x4xf32> {
  %r = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 2>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %p : tensor<f32>
  }) : (tensor<5x4xf32>, tensor<3x2xf32>, tensor<f32>) -> tensor<5x4xf32>
  return %r : tensor<5x4xf32>
}
func.func @sort(%x: tensor<2x4x2xf32>, %y: tensor<2x4x2xf32>) -> (tensor<2x4x2xf32>, tensor<2x4x2xf32>) {
  %r:2 = "stablehlo.sort"(%x, %y) <{dimension = -2 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<2x4x2xf32>, tensor<2x4x2xf32>) -> (tensor<2x4x2xf32>, tensor<2x4x2xf32>)
  return %r#0, %r#1 : tensor<2x4x2xf32>, tensor<2x4x2xf32>
}
func.func @top_k(%x: tensor<2x5xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>) {
  %r:2 = chlo.top_k(%x, k = 2) : tensor<2x5xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
  return %r#0, %r#1 : tensor<2x2xf32>, tensor<2x2xi32>
}

// Contractions.
func.func @dot_general(%x: tensor<3x2x4xf32>, %y: tensor<4x5x2xf32>) -> tensor<2x3x5xf32> attributes {exact} {
  %r = stablehlo.dot_general %x, %y, batching_dims = [1] x [2], contracting_dims = [2] x [0] : (tensor<3x2x4xf32>, tensor<4x5x2xf32>) -> tensor<2x3x5xf32>
  return %r : tensor<2x3x5xf32>
}
func.func @dot_general_two(%x: tensor<3x2x4xf32>, %y: tensor<4x2xf32>) -> tensor<3xf32> attributes {exact} {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [2, 1] x [0, 1] : (tensor<3x2x4xf32>, tensor<4x2xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
func.func @dot(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> attributes {exact} {
  %r = stablehlo.dot %x, %y : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}
func.func @dot_of_vector(%x: tensor<3xf32>, %y: tensor<3x4xf32>) -> tensor<4xf32> attributes {exact} {
  %r = stablehlo.dot %x, %y : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @dot_of_vectors(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<f32> attributes {exact} {
  %r = stablehlo.dot %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  return %r : tensor<f32>
}
func.func @einsum(%x: tensor<2x3x4xf32>, %y: tensor<4x3x5xf32>) -> tensor<5x2xf32> attributes {exact} {
  %r = stablehlo.einsum %x, %y, config = "abc,cbd->da" : (tensor<2x3x4xf32>, tensor<4x3x5xf32>) -> tensor<5x2xf32>
  return %r : tensor<5x2xf32>
}
func.func @unary_einsum(%x: tensor<2x3x4xf32>) -> tensor<4x2xf32> attributes {exact} {
  %r = stablehlo.unary_einsum %x, config = "abc->ca" : (tensor<2x3x4xf32>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}
func.func @convolution(%x: tensor<1x5x4x2xf32>, %w: tensor<3x2x2x3xf32>) -> tensor<1x6x2x3xf32> attributes {exact} {
  %r = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 2], pad = [[2, 1], [1, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 2], reverse = [true, false]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x4x2xf32>, tensor<3x2x2x3xf32>) -> tensor<1x6x2x3xf32>
  return %r : tensor<1x6x2x3xf32>
}
func.func @convolution_of_groups(%x: tensor<4x2x4xf32>, %w: tensor<6x2x3xf32>) -> tensor<6x5x2xf32> attributes {exact} {
  %r = stablehlo.convolution(%x, %w) dim_numbers = [f, b, 0]x[o, i, 0]->[f, 0, b], window = {stride = [2], pad = [[1, 4]], lhs_dilate = [2], rhs_dilate = [1]} {feature_group_count = 2 : i64, batch_group_count = 1 : i64} : (tensor<4x2x4xf32>, tensor<6x2x3xf32>) -> tensor<6x5x2xf32>
  return %r : tensor<6x5x2xf32>
}
func.func @convolution_of_batch_groups(%x: tensor<6x3x2xf32>, %w: tensor<2x2x4xf32>) -> tensor<3x2x4xf32> attributes {exact} {
  %r = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {feature_group_count = 1 : i64, batch_group_count = 2 : i64} : (tensor<6x3x2xf32>, tensor<2x2x4xf32>) -> tensor<3x2x4xf32>
  return %r : tensor<3x2x4xf32>
}

// Matrices and signals.
func.func @cholesky(%x: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
  %r = stablehlo.cholesky %x, lower = true : tensor<2x3x3xf32>
  return %r : tensor<2x3x3xf32>
}
func.func @triangular_solve_left(%a: tensor<2x3x3xf32>, %b: tensor<2x3x2xf32>) -> tensor<2x3x2xf32> {
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x3x3xf32>, tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
  return %r : tensor<2x3x2xf32>
}
func.func @triangular_solve_right(%a: tensor<3x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<3x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @fft_real(%x: tensor<2x4xf32>) -> tensor<2x3xcomplex<f32>> {
  %r = stablehlo.fft %x, type = RFFT, length = [4] : (tensor<2x4xf32>) -> tensor<2x3xcomplex<f32>>
  return %r : tensor<2x3xcomplex<f32>>
}
func.func @batch_norm_inference(%x: tensor<2x3x2xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) -> tensor<2x3x2xf32> {
  %r = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x2xf32>
  return %r : tensor<2x3x2xf32>
}
func.func @batch_norm_training(%x: tensor<2x3x2xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>) -> (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>) {
  %r:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>)
  return %r#0, %r#1, %r#2 : tensor<2x3x2xf32>, tensor<3xf32>, tensor<3xf32>
}
func.func @batch_norm_grad(%x: tensor<2x3xf32>, %s: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>, %g: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %r:3 = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %r#0, %r#1, %r#2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>
}
