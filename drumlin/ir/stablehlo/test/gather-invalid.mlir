// RUN: drumlin-opt %s -split-input-file -verify-diagnostics

// One invalid program for each constraint on gather.

// Every operand dimension has a role.
func.func @gather_c1(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{(gather_c1)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<5x1xi32>) -> tensor<5x3xf32>
  return
}

// -----

// index_vector_dim must be a dimension of the indices or the number of their dimensions.
func.func @gather_c2(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{(gather_c2)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 3>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<5x1xi32>) -> tensor<5x3xf32>
  return
}

// -----

// Each component of an index vector needs a dimension in the index map.
func.func @gather_c3(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{(gather_c3)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<5x1xi32>) -> tensor<5x3xf32>
  return
}

// -----

// Offset dimensions ascend.
func.func @gather_c4(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{(gather_c4)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 0], collapsed_slice_dims = [], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<5x1xi32>) -> tensor<1x3x5xf32>
  return
}

// -----

// Offset dimensions must be dimensions of the result.
func.func @gather_c5(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{(gather_c5)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<5x1xi32>) -> tensor<5x3xf32>
  return
}

// -----

// No dimension may be both collapsed and batching.
func.func @gather_c6(%a: tensor<5x4x3xf32>, %i: tensor<5x2x1xi32>) {
  // expected-error@+1 {{(gather_c6)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 3>}> : (tensor<5x4x3xf32>, tensor<5x2x1xi32>) -> tensor<5x2x3xf32>
  return
}

// -----

// Collapsed dimensions ascend.
func.func @gather_c7(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{(gather_c7)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [1, 0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<4x3xf32>, tensor<5x1xi32>) -> tensor<5xf32>
  return
}

// -----

// Collapsed dimensions must be dimensions of the operand.
func.func @gather_c8(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{(gather_c8)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<5x1xi32>) -> tensor<5x3xf32>
  return
}

// -----

// Slices must have at most one element along collapsed dimensions.
func.func @gather_c9(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{(gather_c9)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 3>}> : (tensor<4x3xf32>, tensor<5x1xi32>) -> tensor<5x3xf32>
  return
}

// -----

// Batching dimensions ascend.
func.func @gather_c10(%a: tensor<5x5x3xf32>, %i: tensor<5x5x1xi32>) {
  // expected-error@+1 {{(gather_c10)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [], operand_batching_dims = [1, 0], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<5x5x3xf32>, tensor<5x5x1xi32>) -> tensor<5x5x1xf32>
  return
}

// -----

// Batching dimensions must be dimensions of the operand.
func.func @gather_c11(%a: tensor<5x4x3xf32>, %i: tensor<5x2x1xi32>) {
  // expected-error@+1 {{(gather_c11)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [3], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 3>}> : (tensor<5x4x3xf32>, tensor<5x2x1xi32>) -> tensor<5x2x3xf32>
  return
}

// -----

// Slices must have at most one element along batching dimensions.
func.func @gather_c12(%a: tensor<5x4x3xf32>, %i: tensor<5x2x1xi32>) {
  // expected-error@+1 {{(gather_c12)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 2, 1, 3>}> : (tensor<5x4x3xf32>, tensor<5x2x1xi32>) -> tensor<5x2x3xf32>
  return
}

// -----

// Each batching dimension of the indices must occur once.
func.func @gather_c13(%a: tensor<5x4x3xf32>, %i: tensor<5x2x1xi32>) {
  // expected-error@+1 {{(gather_c13)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 0], start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 3>}> : (tensor<5x4x3xf32>, tensor<5x2x1xi32>) -> tensor<5x2x3xf32>
  return
}

// -----

// Batching dimensions must be dimensions of the indices.
func.func @gather_c14(%a: tensor<5x4x3xf32>, %i: tensor<5x2x1xi32>) {
  // expected-error@+1 {{(gather_c14)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [3], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 3>}> : (tensor<5x4x3xf32>, tensor<5x2x1xi32>) -> tensor<5x2x3xf32>
  return
}

// -----

// index_vector_dim must not be a batching dimension.
func.func @gather_c15(%a: tensor<5x4x3xf32>, %i: tensor<5x2x1xi32>) {
  // expected-error@+1 {{(gather_c15)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [2], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 3>}> : (tensor<5x4x3xf32>, tensor<5x2x1xi32>) -> tensor<5x2x3xf32>
  return
}

// -----

// The operand and the indices must have the same number of batching dimensions.
func.func @gather_c16(%a: tensor<5x4x3xf32>, %i: tensor<5x2x1xi32>) {
  // expected-error@+1 {{(gather_c16)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 3>}> : (tensor<5x4x3xf32>, tensor<5x2x1xi32>) -> tensor<5x2x3xf32>
  return
}

// -----

// Batching dimensions must have equal sizes in the operand and the indices.
func.func @gather_c17(%a: tensor<5x4x3xf32>, %i: tensor<6x2x1xi32>) {
  // expected-error@+1 {{(gather_c17)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 3>}> : (tensor<5x4x3xf32>, tensor<6x2x1xi32>) -> tensor<5x2x3xf32>
  return
}

// -----

// No dimension may be both indexed and batching.
func.func @gather_c18(%a: tensor<5x4x3xf32>, %i: tensor<5x2x1xi32>) {
  // expected-error@+1 {{(gather_c18)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 3>}> : (tensor<5x4x3xf32>, tensor<5x2x1xi32>) -> tensor<5x2x3xf32>
  return
}

// -----

// The index map must list dimensions of the operand.
func.func @gather_c19(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{(gather_c19)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [2], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<5x1xi32>) -> tensor<5x3xf32>
  return
}

// -----

// Each dimension needs a slice size.
func.func @gather_c20(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{(gather_c20)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<4x3xf32>, tensor<5x1xi32>) -> tensor<5x3xf32>
  return
}

// -----

// Slices must be inside the operand.
func.func @gather_c21(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{(gather_c21)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<4x3xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return
}

// -----

// The result has the indices' and the slices' dimensions.
func.func @gather_c22(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{(gather_c22)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<5x1xi32>) -> tensor<3x5xf32>
  return
}

// -----

// The element type must not change.
func.func @gather_c23(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{(gather_c23)}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<5x1xi32>) -> tensor<5x3xf64>
  return
}

// -----

// Unknown fields are rejected.
func.func @gather_field(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>) {
  // expected-error@+1 {{unknown field `index_map`}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<5x1xi32>) -> tensor<5x3xf32>
  return
}
