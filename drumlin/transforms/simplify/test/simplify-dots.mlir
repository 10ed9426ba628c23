// RUN: drumlin-opt --simplify-dots %s | FileCheck %s

// Transposes around dots are folded into their dimension numbers; the rounding of mixed fp8 operands becomes explicit.

// transpose(dot(a, b)) = dot(b, a), if it swaps the rows and columns of the result.
// CHECK-LABEL: func.func @swap
// CHECK-SAME: %[[X:.*]]: tensor<8x16xf32>, %[[Y:.*]]: tensor<16x4xf32>
func.func @swap(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[D:.*]] = stablehlo.dot_general %[[Y]], %[[X]], contracting_dims = [0] x [1], precision = [HIGHEST, DEFAULT] {plan.swapped} : (tensor<16x4xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: return %[[D]]
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// Batching dimensions stay first.
// CHECK-LABEL: func.func @swap_in_batches
// CHECK-SAME: %[[X:.*]]: tensor<2x8x16xf32>, %[[Y:.*]]: tensor<2x16x4xf32>
func.func @swap_in_batches(%x: tensor<2x8x16xf32>, %y: tensor<2x16x4xf32>) -> tensor<2x4x8xf32> {
  // CHECK-NEXT: stablehlo.dot_general %[[Y]], %[[X]], batching_dims = [0] x [0], contracting_dims = [1] x [2]
  // CHECK-NEXT: return
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1] : (tensor<2x8x4xf32>) -> tensor<2x4x8xf32>
  return %1 : tensor<2x4x8xf32>
}

// Declined: a transpose that moves the batch dimension is no swap.
// CHECK-LABEL: func.func @other_transpose
func.func @other_transpose(%x: tensor<2x8x16xf32>, %y: tensor<2x16x4xf32>) -> tensor<8x2x4xf32> {
  // CHECK-NEXT: stablehlo.dot_general
  // CHECK-NEXT: stablehlo.transpose
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0, 2] : (tensor<2x8x4xf32>) -> tensor<8x2x4xf32>
  return %1 : tensor<8x2x4xf32>
}

// Declined: a dot with other users would be computed twice.
// CHECK-LABEL: func.func @other_users
func.func @other_users(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>) -> (tensor<4x8xf32>, tensor<8x4xf32>) {
  // CHECK-NEXT: stablehlo.dot_general
  // CHECK-NEXT: stablehlo.transpose
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return %1, %0 : tensor<4x8xf32>, tensor<8x4xf32>
}

// dot(a, b) : fp8 = dot(convert(a), convert(b)), if the operands are fp8 of another type.
// CHECK-LABEL: func.func @mixed_narrow_types
// CHECK-SAME: %[[X:.*]]: tensor<8x16xf8E4M3FN>, %[[Y:.*]]: tensor<16x4xf8E5M2>
func.func @mixed_narrow_types(%x: tensor<8x16xf8E4M3FN>, %y: tensor<16x4xf8E5M2>) -> tensor<8x4xf8E4M3FN> {
  // CHECK-NEXT: %[[C:.*]] = stablehlo.convert %[[Y]] : (tensor<16x4xf8E5M2>) -> tensor<16x4xf8E4M3FN>
  // CHECK-NEXT: stablehlo.dot_general %[[X]], %[[C]]
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xf8E4M3FN>, tensor<16x4xf8E5M2>) -> tensor<8x4xf8E4M3FN>
  return %0 : tensor<8x4xf8E4M3FN>
}

// A wider result needs no rounding of the operands.
// CHECK-LABEL: func.func @wide_result
func.func @wide_result(%x: tensor<8x16xf8E4M3FN>, %y: tensor<16x4xf8E5M2>) -> tensor<8x4xf32> {
  // CHECK-NEXT: stablehlo.dot_general
  // CHECK-NEXT: return
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xf8E4M3FN>, tensor<16x4xf8E5M2>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
