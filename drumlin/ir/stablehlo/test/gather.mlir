// RUN: drumlin-opt %s | FileCheck %s
// RUN: drumlin-opt %s --mlir-print-op-generic | drumlin-opt | FileCheck %s

// Gather and scatter are printed in the generic form. Empty lists and zeros are omitted.

// Rows selected by indices, without and with batching dimensions.
// CHECK-LABEL: func.func @gather
func.func @gather(%a: tensor<4x3xf32>, %i: tensor<5x1xi32>, %b: tensor<5x4x3xf32>, %j: tensor<5x2xui8>) {
  // CHECK: "stablehlo.gather"(%{{.*}}, %{{.*}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<5x1xi32>) -> tensor<5x3xf32>
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<5x1xi32>) -> tensor<5x3xf32>
  // CHECK: #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>
  %1 = "stablehlo.gather"(%b, %j) <{dimension_numbers = #stablehlo.gather<index_vector_dim = 2, start_index_map = [1], start_indices_batching_dims = [0], operand_batching_dims = [0], collapsed_slice_dims = [1], offset_dims = [2]>, slice_sizes = array<i64: 1, 1, 3>}> : (tensor<5x4x3xf32>, tensor<5x2xui8>) -> tensor<5x2x3xf32>
  return
}

// A scatter of one input, and a scatter of two inputs of different element types.
// CHECK-LABEL: func.func @scatter
func.func @scatter(%a: tensor<4x3xf32>, %b: tensor<4x3xi32>, %i: tensor<5x1xi32>, %u: tensor<5x3xf32>, %v: tensor<5x3xi32>) {
  // CHECK: "stablehlo.scatter"(%{{.*}}, %{{.*}}, %{{.*}}) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}>
  %0 = "stablehlo.scatter"(%a, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %y : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<5x1xi32>, tensor<5x3xf32>) -> tensor<4x3xf32>
  // CHECK: (tensor<4x3xf32>, tensor<4x3xi32>, tensor<5x1xi32>, tensor<5x3xf32>, tensor<5x3xi32>) -> (tensor<4x3xf32>, tensor<4x3xi32>)
  %1:2 = "stablehlo.scatter"(%a, %b, %i, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<i32>, %z: tensor<f32>, %w: tensor<i32>):
    stablehlo.return %z, %w : tensor<f32>, tensor<i32>
  }) : (tensor<4x3xf32>, tensor<4x3xi32>, tensor<5x1xi32>, tensor<5x3xf32>, tensor<5x3xi32>) -> (tensor<4x3xf32>, tensor<4x3xi32>)
  return
}
