// RUN: drumlin-opt --simplify-shapes %s | FileCheck %s

// Operations that only move elements. Those that move nothing are removed, and chains become one operation.

// reshape(x) = x, if the shape is the same.
// CHECK-LABEL: func.func @reshape_to_the_same_shape
// CHECK-SAME: %[[X:.*]]: tensor<4x2xf32>
func.func @reshape_to_the_same_shape(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = stablehlo.reshape %x : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// A reshape to another shape stays.
// CHECK-LABEL: func.func @reshape_to_another_shape
func.func @reshape_to_another_shape(%x: tensor<4x2xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: stablehlo.reshape %{{.*}} : (tensor<4x2xf32>) -> tensor<8xf32>
  %0 = stablehlo.reshape %x : (tensor<4x2xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// reshape(reshape(x)) = reshape(x), or x if the original shape is restored.
// CHECK-LABEL: func.func @reshape_chain
// CHECK-SAME: %[[X:.*]]: tensor<4x2xf32>
func.func @reshape_chain(%x: tensor<4x2xf32>) -> (tensor<2x4xf32>, tensor<4x2xf32>) {
  // CHECK-NEXT: %[[R:.*]] = stablehlo.reshape %[[X]] : (tensor<4x2xf32>) -> tensor<2x4xf32>
  // CHECK-NEXT: return %[[R]], %[[X]]
  %0 = stablehlo.reshape %x : (tensor<4x2xf32>) -> tensor<8xf32>
  %1 = stablehlo.reshape %0 : (tensor<8xf32>) -> tensor<2x4xf32>
  %2 = stablehlo.reshape %1 : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return %1, %2 : tensor<2x4xf32>, tensor<4x2xf32>
}

// A transpose between two reshapes prevents the simplification.
// CHECK-LABEL: func.func @reshape_of_transpose
func.func @reshape_of_transpose(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  // CHECK-NEXT: stablehlo.transpose
  // CHECK-NEXT: stablehlo.reshape
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x2xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.reshape %0 : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// transpose(x, identity) = x.
// CHECK-LABEL: func.func @transpose_that_moves_nothing
// CHECK-SAME: %[[X:.*]]: tensor<4x2xf32>
func.func @transpose_that_moves_nothing(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = stablehlo.transpose %x, dims = [0, 1] : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// The position of a dimension of size one doesn't matter.
// CHECK-LABEL: func.func @transpose_of_single_elements
// CHECK-SAME: %[[X:.*]]: tensor<1x1x4xf32>
func.func @transpose_of_single_elements(%x: tensor<1x1x4xf32>) -> tensor<1x1x4xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
  return %0 : tensor<1x1x4xf32>
}

// A transpose of a square matrix keeps the type but moves elements.
// CHECK-LABEL: func.func @transpose_of_a_square
func.func @transpose_of_a_square(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK-NEXT: stablehlo.transpose %{{.*}}, dims = [1, 0]
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// transpose(transpose(x, p), q) = transpose(x, p ∘ q); in this example p ∘ q differs from p ∘ p and q ∘ p.
// CHECK-LABEL: func.func @transpose_chain
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>
func.func @transpose_chain(%x: tensor<2x3x4xf32>) -> tensor<3x2x4xf32> {
  // CHECK-NEXT: stablehlo.transpose %[[X]], dims = [1, 0, 2] : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
  %0 = stablehlo.transpose %x, dims = [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1] : (tensor<3x4x2xf32>) -> tensor<3x2x4xf32>
  return %1 : tensor<3x2x4xf32>
}

// broadcast_in_dim(x) = x, if the shape is the same and no dimensions are swapped.
// CHECK-LABEL: func.func @broadcast_to_the_same_shape
// CHECK-SAME: %[[X:.*]]: tensor<4x4xf32>
func.func @broadcast_to_the_same_shape(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// Dimensions are exchanged, so this broadcast is a transpose.
// CHECK-LABEL: func.func @broadcast_that_transposes
func.func @broadcast_that_transposes(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: stablehlo.{{broadcast_in_dim|transpose}} %{{.*}}, dims = [1, 0]
  %0 = stablehlo.broadcast_in_dim %x, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// broadcast_in_dim(broadcast_in_dim(x, p), q) = broadcast_in_dim(x, q ∘ p).
// CHECK-LABEL: func.func @broadcast_chain
// CHECK-SAME: %[[X:.*]]: tensor<3xf32>
func.func @broadcast_chain(%x: tensor<3xf32>) -> tensor<2x5x3xf32> {
  // CHECK-NEXT: stablehlo.broadcast_in_dim %[[X]], dims = [2] : (tensor<3xf32>) -> tensor<2x5x3xf32>
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<5x3xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1, 2] : (tensor<5x3xf32>) -> tensor<2x5x3xf32>
  return %1 : tensor<2x5x3xf32>
}

// convert(x) = x, if the type is the same.
// CHECK-LABEL: func.func @convert_to_the_same_type
// CHECK-SAME: %[[X:.*]]: tensor<4xbf16>
func.func @convert_to_the_same_type(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  // CHECK-NEXT: return %[[X]]
  %0 = stablehlo.convert %x : tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// A conversion through a narrower type rounds, as the program requires, and stays.
// CHECK-LABEL: func.func @convert_that_rounds
func.func @convert_that_rounds(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: stablehlo.convert %{{.*}} : (tensor<4xf32>) -> tensor<4xbf16>
  // CHECK-NEXT: stablehlo.convert %{{.*}} : (tensor<4xbf16>) -> tensor<4xf32>
  %0 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xbf16>
  %1 = stablehlo.convert %0 : (tensor<4xbf16>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
