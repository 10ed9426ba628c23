// RUN: drumlin-opt --merge-dimensions --split-input-file %s | FileCheck %s

// A kernel with one value per channel, over an image: rows and columns merge into one dimension.
// CHECK-LABEL: func.func @channels
func.func @channels(%x: tensor<4x8x6x6xf32>, %s: tensor<8xf32>) -> tensor<4x8x6x6xf32> {
  // CHECK-NEXT: %[[X:.*]] = plan.bitcast %{{.*}} reshape [4, 8, 6, 6] in [0, 1, 2, 3] to [4, 8, 36] in [0, 1, 2]
  // CHECK-NEXT: %[[Y:.*]] = plan.loop(%[[A:.*]] = %[[X]] : tensor<4x8x36xf32>, %[[B:.*]] = %{{.*}} : tensor<8xf32>) -> (tensor<4x8x36xf32>)
  // CHECK-NEXT: %[[S:.*]] = stablehlo.broadcast_in_dim %[[B]], dims = [1] : (tensor<8xf32>) -> tensor<4x8x36xf32>
  // CHECK-NEXT: stablehlo.multiply %[[A]], %[[S]] : tensor<4x8x36xf32>
  // CHECK: plan.bitcast %[[Y]] reshape [4, 8, 36] in [0, 1, 2] to [4, 8, 6, 6] in [0, 1, 2, 3]
  %0 = plan.loop(%a = %x : tensor<4x8x6x6xf32>, %b = %s : tensor<8xf32>) -> (tensor<4x8x6x6xf32>) {
    %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<8xf32>) -> tensor<4x8x6x6xf32>
    %2 = stablehlo.multiply %a, %1 : tensor<4x8x6x6xf32>
    plan.yield %2 : tensor<4x8x6x6xf32>
  }
  return %0 : tensor<4x8x6x6xf32>
}

// -----

// Rows and columns also merge if an operand has size 1 along both, and in constants.
// CHECK-LABEL: func.func @units
func.func @units(%x: tensor<4x8x6x6xf32>, %s: tensor<1x8x1x1xf32>) -> tensor<4x8x6x6xf32> {
  // CHECK: plan.bitcast %{{.*}} reshape [1, 8, 1, 1] in [0, 1, 2, 3] to [1, 8, 1] in [0, 1, 2]
  // CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = [0, 1, 2] : (tensor<1x8x1xf32>) -> tensor<4x8x36xf32>
  // CHECK: stablehlo.constant dense<2.000000e+00> : tensor<4x8x36xf32>
  %0 = plan.loop(%a = %x : tensor<4x8x6x6xf32>, %b = %s : tensor<1x8x1x1xf32>) -> (tensor<4x8x6x6xf32>) {
    %1 = stablehlo.broadcast_in_dim %b, dims = [0, 1, 2, 3] : (tensor<1x8x1x1xf32>) -> tensor<4x8x6x6xf32>
    %2 = stablehlo.multiply %a, %1 : tensor<4x8x6x6xf32>
    %3 = stablehlo.constant dense<2.0> : tensor<4x8x6x6xf32>
    %4 = stablehlo.add %2, %3 : tensor<4x8x6x6xf32>
    plan.yield %4 : tensor<4x8x6x6xf32>
  }
  return %0 : tensor<4x8x6x6xf32>
}

// -----

// Adjacent dimensions that are reduced together merge.
// CHECK-LABEL: func.func @sums
func.func @sums(%x: tensor<4x8x6x6xf32>) -> tensor<8xf32> {
  // CHECK: plan.loop(%[[A:.*]] = %{{.*}} : tensor<4x8x36xf32>) -> (tensor<8xf32>)
  // CHECK: stablehlo.reduce(%[[A]] init: %{{.*}}) applies stablehlo.add across dimensions = [0, 2]
  %0 = plan.loop(%a = %x : tensor<4x8x6x6xf32>) -> (tensor<8xf32>) {
    %1 = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reduce(%a init: %1) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<4x8x6x6xf32>, tensor<f32>) -> tensor<8xf32>
    plan.yield %2 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// The permutation of a transpose becomes a permutation of the merged dimensions.
// CHECK-LABEL: func.func @transposed
func.func @transposed(%x: tensor<6x7x8x9xf32>) -> tensor<8x9x6x7xf32> {
  // CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<42x72xf32>) -> tensor<72x42xf32>
  %0 = plan.loop(%a = %x : tensor<6x7x8x9xf32>) -> (tensor<8x9x6x7xf32>) {
    %1 = stablehlo.transpose %a, dims = [2, 3, 0, 1] : (tensor<6x7x8x9xf32>) -> tensor<8x9x6x7xf32>
    plan.yield %1 : tensor<8x9x6x7xf32>
  }
  return %0 : tensor<8x9x6x7xf32>
}

// -----

// Each of these operations distinguishes the last dimension from the one before it: an index, a reduction, a slice, and a vector along the
// last dimension.
// CHECK-LABEL: func.func @kept
func.func @kept(%x: tensor<4x6x6xf32>, %s: tensor<6xf32>) -> (tensor<4x6x6xf32>, tensor<4x6xf32>, tensor<4x6x5xf32>, tensor<4x6x6xf32>) {
  // CHECK-NOT: plan.bitcast
  // CHECK: return
  %0 = plan.loop(%a = %x : tensor<4x6x6xf32>) -> (tensor<4x6x6xf32>) {
    %4 = stablehlo.iota dim = 2 : tensor<4x6x6xf32>
    %5 = stablehlo.add %a, %4 : tensor<4x6x6xf32>
    plan.yield %5 : tensor<4x6x6xf32>
  }
  %1 = plan.loop(%a = %x : tensor<4x6x6xf32>) -> (tensor<4x6xf32>) {
    %4 = stablehlo.constant dense<0.0> : tensor<f32>
    %5 = stablehlo.reduce(%a init: %4) applies stablehlo.add across dimensions = [2] : (tensor<4x6x6xf32>, tensor<f32>) -> tensor<4x6xf32>
    plan.yield %5 : tensor<4x6xf32>
  }
  %2 = plan.loop(%a = %x : tensor<4x6x6xf32>) -> (tensor<4x6x5xf32>) {
    %4 = stablehlo.slice %a [0:4, 0:6, 1:6] : (tensor<4x6x6xf32>) -> tensor<4x6x5xf32>
    plan.yield %4 : tensor<4x6x5xf32>
  }
  %3 = plan.loop(%a = %x : tensor<4x6x6xf32>, %b = %s : tensor<6xf32>) -> (tensor<4x6x6xf32>) {
    %4 = stablehlo.broadcast_in_dim %b, dims = [2] : (tensor<6xf32>) -> tensor<4x6x6xf32>
    %5 = stablehlo.add %a, %4 : tensor<4x6x6xf32>
    plan.yield %5 : tensor<4x6x6xf32>
  }
  return %0, %1, %2, %3 : tensor<4x6x6xf32>, tensor<4x6xf32>, tensor<4x6x5xf32>, tensor<4x6x6xf32>
}

// -----

// A kernel that reads all elements in order is already flat, whatever its shape.
// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%x: tensor<4x6x6xf32>) -> tensor<4x6x6xf32> {
  // CHECK-NOT: plan.bitcast
  // CHECK: return
  %0 = plan.loop(%a = %x : tensor<4x6x6xf32>) -> (tensor<4x6x6xf32>) {
    %1 = stablehlo.negate %a : tensor<4x6x6xf32>
    plan.yield %1 : tensor<4x6x6xf32>
  }
  return %0 : tensor<4x6x6xf32>
}

// -----

// If a dimension is sliced, padded or concatenated, the dimensions after it merge with it.
// CHECK-LABEL: func.func @cut
func.func @cut(%x: tensor<9x4x6xf32>, %y: tensor<9x2x6xf32>, %i: tensor<5x1xi32>) -> (tensor<9x2x6xf32>, tensor<9x7x6xf32>, tensor<9x6x6xf32>, tensor<5x4x6xf32>) {
  // CHECK: stablehlo.slice %{{.*}} [0:9, 6:18] : (tensor<9x24xf32>) -> tensor<9x12xf32>
  %0 = plan.loop(%a = %x : tensor<9x4x6xf32>) -> (tensor<9x2x6xf32>) {
    %4 = stablehlo.slice %a [0:9, 1:3, 0:6] : (tensor<9x4x6xf32>) -> tensor<9x2x6xf32>
    plan.yield %4 : tensor<9x2x6xf32>
  }
  // CHECK: stablehlo.pad %{{.*}}, %{{.*}}, low = [0, 6], high = [0, 12], interior = [0, 0] : (tensor<9x24xf32>, tensor<f32>) -> tensor<9x42xf32>
  %1 = plan.loop(%a = %x : tensor<9x4x6xf32>) -> (tensor<9x7x6xf32>) {
    %4 = stablehlo.constant dense<0.0> : tensor<f32>
    %5 = stablehlo.pad %a, %4, low = [0, 1, 0], high = [0, 2, 0], interior = [0, 0, 0] : (tensor<9x4x6xf32>, tensor<f32>) -> tensor<9x7x6xf32>
    plan.yield %5 : tensor<9x7x6xf32>
  }
  // CHECK: stablehlo.concatenate %{{.*}}, %{{.*}}, dim = 1 : (tensor<9x24xf32>, tensor<9x12xf32>) -> tensor<9x36xf32>
  %2 = plan.loop(%a = %x : tensor<9x4x6xf32>, %b = %y : tensor<9x2x6xf32>) -> (tensor<9x6x6xf32>) {
    %4 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<9x4x6xf32>, tensor<9x2x6xf32>) -> tensor<9x6x6xf32>
    plan.yield %4 : tensor<9x6x6xf32>
  }
  // CHECK: "stablehlo.gather"(%{{.*}}, %{{.*}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 24>}> : (tensor<9x24xf32>, tensor<5x1xi32>) -> tensor<5x24xf32>
  %3 = plan.loop(%a = %x : tensor<9x4x6xf32>, %b = %i : tensor<5x1xi32>) -> (tensor<5x4x6xf32>) {
    %4 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4, 6>}> : (tensor<9x4x6xf32>, tensor<5x1xi32>) -> tensor<5x4x6xf32>
    plan.yield %4 : tensor<5x4x6xf32>
  }
  return %0, %1, %2, %3 : tensor<9x2x6xf32>, tensor<9x7x6xf32>, tensor<9x6x6xf32>, tensor<5x4x6xf32>
}

// -----

// Dimensions stay separate if they are sliced with a stride, padded between elements, reversed, only partly gathered, or indexed.
// CHECK-LABEL: func.func @apart
func.func @apart(%x: tensor<9x4x6xf32>, %i: tensor<5x1xi32>, %j: tensor<5x2xi32>) -> (tensor<9x2x6xf32>, tensor<9x7x6xf32>, tensor<9x4x6xf32>, tensor<5x3x6xf32>, tensor<5x4x6xf32>) {
  // CHECK-NOT: plan.bitcast
  // CHECK: return
  %0 = plan.loop(%a = %x : tensor<9x4x6xf32>) -> (tensor<9x2x6xf32>) {
    %4 = stablehlo.slice %a [0:9, 0:4:2, 0:6] : (tensor<9x4x6xf32>) -> tensor<9x2x6xf32>
    plan.yield %4 : tensor<9x2x6xf32>
  }
  %1 = plan.loop(%a = %x : tensor<9x4x6xf32>) -> (tensor<9x7x6xf32>) {
    %4 = stablehlo.constant dense<0.0> : tensor<f32>
    %5 = stablehlo.pad %a, %4, low = [0, 0, 0], high = [0, 0, 0], interior = [0, 1, 0] : (tensor<9x4x6xf32>, tensor<f32>) -> tensor<9x7x6xf32>
    plan.yield %5 : tensor<9x7x6xf32>
  }
  %2 = plan.loop(%a = %x : tensor<9x4x6xf32>) -> (tensor<9x4x6xf32>) {
    %4 = stablehlo.reverse %a, dims = [1] : tensor<9x4x6xf32>
    plan.yield %4 : tensor<9x4x6xf32>
  }
  %3 = plan.loop(%a = %x : tensor<9x4x6xf32>, %b = %i : tensor<5x1xi32>) -> (tensor<5x3x6xf32>) {
    %4 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3, 6>}> : (tensor<9x4x6xf32>, tensor<5x1xi32>) -> tensor<5x3x6xf32>
    plan.yield %4 : tensor<5x3x6xf32>
  }
  %5 = plan.loop(%a = %x : tensor<9x4x6xf32>, %b = %j : tensor<5x2xi32>) -> (tensor<5x4x6xf32>) {
    %4 = "stablehlo.gather"(%a, %b) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0, 2], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4, 6>}> : (tensor<9x4x6xf32>, tensor<5x2xi32>) -> tensor<5x4x6xf32>
    plan.yield %4 : tensor<5x4x6xf32>
  }
  return %0, %1, %2, %3, %5 : tensor<9x2x6xf32>, tensor<9x7x6xf32>, tensor<9x4x6xf32>, tensor<5x3x6xf32>, tensor<5x4x6xf32>
}
