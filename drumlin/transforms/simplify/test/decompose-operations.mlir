// RUN: drumlin-opt %s --decompose-operations | FileCheck %s

// CHECK-LABEL: func.func @square
func.func @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: stablehlo.multiply %{{.*}}, %{{.*}} : tensor<4xf32>
  %0 = chlo.square %x : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The square of a complex number has a definition of its own.
// CHECK-LABEL: func.func @complex_square
func.func @complex_square(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // CHECK-NEXT: chlo.square
  %0 = chlo.square %x : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// CHECK-LABEL: func.func @tan_and_conj
func.func @tan_and_conj(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[TAN:.*]] = stablehlo.tan
  // CHECK-NEXT: return %[[TAN]]
  %0 = chlo.tan %x : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.conj %0 : tensor<4xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @infinities
func.func @infinities(%x: tensor<4xbf16>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  // CHECK: dense<0x7F80> : tensor<4xbf16>
  // CHECK-NEXT: stablehlo.abs
  // CHECK-NEXT: stablehlo.compare EQ
  // CHECK: dense<0x7F80> : tensor<4xbf16>
  // CHECK-NEXT: stablehlo.compare EQ
  // CHECK: dense<0xFF80> : tensor<4xbf16>
  // CHECK-NEXT: stablehlo.compare EQ
  %0 = chlo.is_inf %x : tensor<4xbf16> -> tensor<4xi1>
  %1 = chlo.is_pos_inf %x : tensor<4xbf16> -> tensor<4xi1>
  %2 = chlo.is_neg_inf %x : tensor<4xbf16> -> tensor<4xi1>
  return %0, %1, %2 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// A type without infinities.
// CHECK-LABEL: func.func @no_infinities
func.func @no_infinities(%x: tensor<4xf8E4M3FN>) -> tensor<4xi1> {
  // CHECK-NEXT: stablehlo.constant dense<false>
  %0 = chlo.is_inf %x : tensor<4xf8E4M3FN> -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// Operands are aligned at their last dimensions, or as the attribute says; sizes of 1 are repeated.
// CHECK-LABEL: func.func @broadcasts
func.func @broadcasts(%x: tensor<4xf32>, %y: tensor<4x4xf32>, %z: tensor<1x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK-NEXT: %[[A:.*]] = stablehlo.broadcast_in_dim %{{.*}}, dims = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
  // CHECK-NEXT: stablehlo.add %[[A]], %{{.*}} : tensor<4x4xf32>
  // CHECK-NEXT: %[[B:.*]] = stablehlo.broadcast_in_dim %{{.*}}, dims = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
  // CHECK-NEXT: stablehlo.power %[[B]], %{{.*}} : tensor<4x4xf32>
  // CHECK-NEXT: %[[C:.*]] = stablehlo.broadcast_in_dim %{{.*}}, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<4x4xf32>
  // CHECK-NEXT: chlo.next_after %{{.*}}, %[[C]] : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %0 = chlo.broadcast_add %x, %y : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = chlo.broadcast_power %x, %y {broadcast_dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = chlo.broadcast_next_after %y, %z : (tensor<4x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
  return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: func.func @compare_and_select
func.func @compare_and_select(%x: tensor<4xui8>, %y: tensor<3x4xui8>) -> tensor<3x4xui8> {
  // CHECK: %[[P:.*]] = stablehlo.compare GE, %{{.*}}, %{{.*}}, UNSIGNED : (tensor<3x4xui8>, tensor<3x4xui8>) -> tensor<3x4xi1>
  // CHECK: stablehlo.select %[[P]]
  %0 = chlo.broadcast_compare %x, %y {comparison_direction = #chlo<comparison_direction GE>, compare_type = #chlo<comparison_type UNSIGNED>} : (tensor<4xui8>, tensor<3x4xui8>) -> tensor<3x4xi1>
  %1 = chlo.broadcast_select %0, %x, %y : (tensor<3x4xi1>, tensor<4xui8>, tensor<3x4xui8>) -> tensor<3x4xui8>
  return %1 : tensor<3x4xui8>
}

// Floats can't be shifted.
// CHECK-LABEL: func.func @meaningless
func.func @meaningless(%x: tensor<4xf32>, %y: tensor<f32>) -> tensor<4xf32> {
  // CHECK: chlo.broadcast_shift_left
  %0 = chlo.broadcast_shift_left %x, %y : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
