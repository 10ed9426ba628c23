// RUN: drumlin-opt --widen-scatters=target=sapphirerapids %s | FileCheck %s

// Many updates of one element are added up in f64 and rounded once.
// CHECK-LABEL: func.func @sums
// CHECK: %[[S:.*]] = "stablehlo.scatter"(%arg0, %arg1, %arg2)
// CHECK: stablehlo.add {{.*}} : tensor<f64>
// CHECK: (tensor<3xf32>, tensor<1000x1xi32>, tensor<1000xf32>) -> tensor<3xf64>
// CHECK: %[[R:.*]] = stablehlo.convert %[[S]] : (tensor<3xf64>) -> tensor<3xf32>
// CHECK: return %[[R]]
func.func @sums(%x: tensor<3xf32>, %i: tensor<1000x1xi32>, %u: tensor<1000xf32>) -> tensor<3xf32> {
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %b, %a : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<3xf32>, tensor<1000x1xi32>, tensor<1000xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// A scatter that subtracts rows of bf16, and a scatter of two operands.
// CHECK-LABEL: func.func @rows
// CHECK: ^bb0(%[[A:.*]]: tensor<f64>, %[[B:.*]]: tensor<f64>, %[[C:.*]]: tensor<f64>, %[[D:.*]]: tensor<f64>):
// CHECK: stablehlo.subtract %[[A]], %[[C]] : tensor<f64>
// CHECK: stablehlo.add %[[B]], %[[D]] : tensor<f64>
// CHECK: -> (tensor<8x4xf64>, tensor<8x4xf64>)
// CHECK-COUNT-2: stablehlo.convert {{.*}} : (tensor<8x4xf64>) -> tensor<8x4xbf16>
func.func @rows(%x: tensor<8x4xbf16>, %y: tensor<8x4xbf16>, %i: tensor<100x1xi32>, %u: tensor<100x4xbf16>) -> (tensor<8x4xbf16>, tensor<8x4xbf16>) {
  %r:2 = "stablehlo.scatter"(%x, %y, %i, %u, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>, %c: tensor<bf16>, %d: tensor<bf16>):
    %e = stablehlo.subtract %a, %c : tensor<bf16>
    %f = stablehlo.add %b, %d : tensor<bf16>
    stablehlo.return %e, %f : tensor<bf16>, tensor<bf16>
  }) : (tensor<8x4xbf16>, tensor<8x4xbf16>, tensor<100x1xi32>, tensor<100x4xbf16>, tensor<100x4xbf16>) -> (tensor<8x4xbf16>, tensor<8x4xbf16>)
  return %r#0, %r#1 : tensor<8x4xbf16>, tensor<8x4xbf16>
}

// Uses f32 if f64 would exceed half of an L2 of 2 MiB: 200,000 elements.
// CHECK-LABEL: func.func @narrow
// CHECK: -> tensor<200000xf32>
func.func @narrow(%x: tensor<200000xbf16>, %i: tensor<1000x1xi32>, %u: tensor<1000xbf16>) -> tensor<200000xbf16> {
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %c = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %c : tensor<bf16>
  }) : (tensor<200000xbf16>, tensor<1000x1xi32>, tensor<1000xbf16>) -> tensor<200000xbf16>
  return %r : tensor<200000xbf16>
}

// In 8 bits, already two roundings may change every digit. If sums are wider, only the rounding of the result remains.
// CHECK-LABEL: func.func @bytes
// CHECK: -> tensor<3xf64>
// CHECK: (tensor<3xf8E5M2>, tensor<1x1xi32>, tensor<1xf8E5M2>) -> tensor<3xf8E5M2>
func.func @bytes(%x: tensor<3xf8E5M2>, %i: tensor<2x1xi32>, %u: tensor<2xf8E5M2>, %j: tensor<1x1xi32>, %v: tensor<1xf8E5M2>) -> (tensor<3xf8E5M2>, tensor<3xf8E5M2>) {
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f8E5M2>, %b: tensor<f8E5M2>):
    %c = stablehlo.add %a, %b : tensor<f8E5M2>
    stablehlo.return %c : tensor<f8E5M2>
  }) : (tensor<3xf8E5M2>, tensor<2x1xi32>, tensor<2xf8E5M2>) -> tensor<3xf8E5M2>
  %s = "stablehlo.scatter"(%x, %j, %v) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f8E5M2>, %b: tensor<f8E5M2>):
    %c = stablehlo.add %a, %b : tensor<f8E5M2>
    stablehlo.return %c : tensor<f8E5M2>
  }) : (tensor<3xf8E5M2>, tensor<1x1xi32>, tensor<1xf8E5M2>) -> tensor<3xf8E5M2>
  return %r, %s : tensor<3xf8E5M2>, tensor<3xf8E5M2>
}

// Unchanged: a result that is too large, too few updates, separate batches, unique indices, and a body that doesn't add.
// CHECK-LABEL: func.func @others
// CHECK-NOT: xf64
// CHECK: return
func.func @others(%x: tensor<200000xf32>, %i: tensor<1000x1xi32>, %u: tensor<1000xf32>, %z: tensor<1000x8xf32>, %j: tensor<1000x3x1xi32>, %v: tensor<1000x3xf32>) -> (tensor<200000xf32>, tensor<1000x8xf32>, tensor<1000x8xf32>, tensor<1000x8xf32>) {
  %p = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<200000xf32>, tensor<1000x1xi32>, tensor<1000xf32>) -> tensor<200000xf32>
  %q = "stablehlo.scatter"(%z, %j, %v) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<1000x8xf32>, tensor<1000x3x1xi32>, tensor<1000x3xf32>) -> tensor<1000x8xf32>
  %w = stablehlo.broadcast_in_dim %u, dims = [0] : (tensor<1000xf32>) -> tensor<1000x8xf32>
  %r = "stablehlo.scatter"(%z, %i, %w) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<1000x8xf32>, tensor<1000x1xi32>, tensor<1000x8xf32>) -> tensor<1000x8xf32>
  %s = "stablehlo.scatter"(%z, %i, %w) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.subtract %b, %a : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<1000x8xf32>, tensor<1000x1xi32>, tensor<1000x8xf32>) -> tensor<1000x8xf32>
  return %p, %q, %r, %s : tensor<200000xf32>, tensor<1000x8xf32>, tensor<1000x8xf32>, tensor<1000x8xf32>
}
