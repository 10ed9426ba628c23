// RUN: drumlin-opt %s -split-input-file -verify-diagnostics

// One invalid program for each constraint on scatter.

// Inputs must have the same shape.
func.func @scatter_c1(%a: tensor<4x3xf32>, %b: tensor<4x2xf32>, %i: tensor<5x1xi32>, %u: tensor<5x3xf32>, %v: tensor<5x3xf32>) {
  // expected-error@+1 {{(scatter_c1)}}
  %0:2 = "stablehlo.scatter"(%a, %b, %i, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, operandSegmentSizes = array<i32: 2, 1, 2>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<f32>):
    stablehlo.return %arg0, %arg1 : tensor<f32>, tensor<f32>
  }) : (tensor<4x3xf32>, tensor<4x2xf32>, tensor<5x1xi32>, tensor<5x3xf32>, tensor<5x3xf32>) -> (tensor<4x3xf32>, tensor<4x2xf32>)
  return
}

// -----

// Every input dimension has a role.
func.func @scatter_c2(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>, %u: tensor<5x3xf32>) {
  // expected-error@+1 {{(scatter_c2)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<5x1xi32>, tensor<5x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// Updates must have the same shape.
func.func @scatter_c3(%a: tensor<4x3xf32>, %b: tensor<4x3xf32>, %i: tensor<5x1xi32>, %u: tensor<5x3xf32>, %v: tensor<5x2xf32>) {
  // expected-error@+1 {{(scatter_c3)}}
  %0:2 = "stablehlo.scatter"(%a, %b, %i, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, operandSegmentSizes = array<i32: 2, 1, 2>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<f32>):
    stablehlo.return %arg0, %arg1 : tensor<f32>, tensor<f32>
  }) : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<5x1xi32>, tensor<5x3xf32>, tensor<5x2xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>)
  return
}

// -----

// The scatter dimensions of the updates must have the sizes of the indices.
func.func @scatter_c4(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>, %u: tensor<6x3xf32>) {
  // expected-error@+1 {{(scatter_c4)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<5x1xi32>, tensor<6x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// Windows must be inside the operand.
func.func @scatter_c4_window(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>, %u: tensor<5x4xf32>) {
  // expected-error@+1 {{(scatter_c4)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

// There must be at least one input.
func.func @scatter_c5(%i: tensor<5x1xi32>) {
  // expected-error@+1 {{(scatter_c5)}}
  "stablehlo.scatter"(%i) <{scatter_dimension_numbers = #stablehlo.scatter<index_vector_dim = 1>, operandSegmentSizes = array<i32: 0, 1, 0>}> ({
    stablehlo.return
  }) : (tensor<5x1xi32>) -> ()
  return
}

// -----

// Updates have the inputs' element types.
func.func @scatter_c6(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>, %u: tensor<5x3xf64>) {
  // expected-error@+1 {{(scatter_c6)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<5x1xi32>, tensor<5x3xf64>) -> tensor<4x3xf32>
  return
}

// -----

// Window dimensions ascend.
func.func @scatter_c7(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>, %u: tensor<1x3x5xf32>) {
  // expected-error@+1 {{(scatter_c7)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 0], inserted_window_dims = [], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<5x1xi32>, tensor<1x3x5xf32>) -> tensor<4x3xf32>
  return
}

// -----

// Window dimensions must be dimensions of the updates.
func.func @scatter_c8(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>, %u: tensor<5x3xf32>) {
  // expected-error@+1 {{(scatter_c8)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<5x1xi32>, tensor<5x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// No dimension may be both inserted and batching.
func.func @scatter_c9(%a: tensor<5x4x3xf32>, %i: tensor<5x2x1xi32>, %u: tensor<5x2x3xf32>) {
  // expected-error@+1 {{(scatter_c9)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x4x3xf32>, tensor<5x2x1xi32>, tensor<5x2x3xf32>) -> tensor<5x4x3xf32>
  return
}

// -----

// Inserted dimensions ascend.
func.func @scatter_c10(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>, %u: tensor<5xf32>) {
  // expected-error@+1 {{(scatter_c10)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [1, 0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<5x1xi32>, tensor<5xf32>) -> tensor<4x3xf32>
  return
}

// -----

// Inserted dimensions must be dimensions of the inputs.
func.func @scatter_c11(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>, %u: tensor<5x3xf32>) {
  // expected-error@+1 {{(scatter_c11)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [2], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<5x1xi32>, tensor<5x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// Batching dimensions ascend.
func.func @scatter_c12(%a: tensor<5x5x3xf32>, %i: tensor<5x5x1xi32>, %u: tensor<5x5x1xf32>) {
  // expected-error@+1 {{(scatter_c12)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [], input_batching_dims = [1, 0], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 2>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x5x3xf32>, tensor<5x5x1xi32>, tensor<5x5x1xf32>) -> tensor<5x5x3xf32>
  return
}

// -----

// Batching dimensions must be dimensions of the inputs.
func.func @scatter_c13(%a: tensor<5x4x3xf32>, %i: tensor<5x2x1xi32>, %u: tensor<5x2x3xf32>) {
  // expected-error@+1 {{(scatter_c13)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [3], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x4x3xf32>, tensor<5x2x1xi32>, tensor<5x2x3xf32>) -> tensor<5x4x3xf32>
  return
}

// -----

// Each batching dimension of the indices must occur once.
func.func @scatter_c14(%a: tensor<5x4x3xf32>, %i: tensor<5x2x1xi32>, %u: tensor<5x2x3xf32>) {
  // expected-error@+1 {{(scatter_c14)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 0], scatter_dims_to_operand_dims = [2], index_vector_dim = 2>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x4x3xf32>, tensor<5x2x1xi32>, tensor<5x2x3xf32>) -> tensor<5x4x3xf32>
  return
}

// -----

// Batching dimensions must be dimensions of the indices.
func.func @scatter_c15(%a: tensor<5x4x3xf32>, %i: tensor<5x2x1xi32>, %u: tensor<5x2x3xf32>) {
  // expected-error@+1 {{(scatter_c15)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [3], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x4x3xf32>, tensor<5x2x1xi32>, tensor<5x2x3xf32>) -> tensor<5x4x3xf32>
  return
}

// -----

// index_vector_dim must not be a batching dimension.
func.func @scatter_c16(%a: tensor<5x4x3xf32>, %i: tensor<5x2x1xi32>, %u: tensor<5x2x3xf32>) {
  // expected-error@+1 {{(scatter_c16)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [2], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x4x3xf32>, tensor<5x2x1xi32>, tensor<5x2x3xf32>) -> tensor<5x4x3xf32>
  return
}

// -----

// The inputs and the indices must have the same number of batching dimensions.
func.func @scatter_c17(%a: tensor<5x4x3xf32>, %i: tensor<5x2x1xi32>, %u: tensor<5x2x3xf32>) {
  // expected-error@+1 {{(scatter_c17)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x4x3xf32>, tensor<5x2x1xi32>, tensor<5x2x3xf32>) -> tensor<5x4x3xf32>
  return
}

// -----

// Batching dimensions must have equal sizes in the inputs and the indices.
func.func @scatter_c18(%a: tensor<5x4x3xf32>, %i: tensor<6x2x1xi32>, %u: tensor<6x2x3xf32>) {
  // expected-error@+1 {{(scatter_c18)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x4x3xf32>, tensor<6x2x1xi32>, tensor<6x2x3xf32>) -> tensor<5x4x3xf32>
  return
}

// -----

// Each component of an index vector needs a dimension in the index map.
func.func @scatter_c19(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>, %u: tensor<5x3xf32>) {
  // expected-error@+1 {{(scatter_c19)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<5x1xi32>, tensor<5x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// No dimension may be both indexed and batching.
func.func @scatter_c20(%a: tensor<5x4x3xf32>, %i: tensor<5x2x1xi32>, %u: tensor<5x2x3xf32>) {
  // expected-error@+1 {{(scatter_c20)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x4x3xf32>, tensor<5x2x1xi32>, tensor<5x2x3xf32>) -> tensor<5x4x3xf32>
  return
}

// -----

// The index map must list dimensions of the inputs.
func.func @scatter_c21(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>, %u: tensor<5x3xf32>) {
  // expected-error@+1 {{(scatter_c21)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [2], index_vector_dim = 1>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<5x1xi32>, tensor<5x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// index_vector_dim must be a dimension of the indices or the number of their dimensions.
func.func @scatter_c22(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>, %u: tensor<5x3xf32>) {
  // expected-error@+1 {{(scatter_c22)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 3>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<5x1xi32>, tensor<5x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// The computation must be on a type to which the inputs are promotable.
func.func @scatter_c23(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>, %u: tensor<5x3xf32>) {
  // expected-error@+1 {{(scatter_c23)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%arg0: tensor<i32>, %arg1: tensor<i32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<4x3xf32>, tensor<5x1xi32>, tensor<5x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

// The results have the inputs' shape.
func.func @scatter_c24(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>, %u: tensor<5x3xf32>) {
  // expected-error@+1 {{(scatter_c24)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<5x1xi32>, tensor<5x3xf32>) -> tensor<3x4xf32>
  return
}

// -----

// The results have the computation's type.
func.func @scatter_c25(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>, %u: tensor<5x3xf32>) {
  // expected-error@+1 {{(scatter_c25)}}
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%arg0: tensor<f64>, %arg1: tensor<f64>):
    %1 = stablehlo.add %arg0, %arg1 : tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }) : (tensor<4x3xf32>, tensor<5x1xi32>, tensor<5x3xf32>) -> tensor<4x3xf32>
  return
}
