// RUN: drumlin-opt %s | FileCheck %s
// RUN: drumlin-opt %s --mlir-print-op-generic | drumlin-opt | FileCheck %s

// Operations whose sizes are operands are printed as they were read.

// Sizes that are operands.
// CHECK-LABEL: func.func @dynamic
func.func @dynamic(%a: tensor<?x3xf32>, %s: tensor<2xi64>, %n: tensor<2xindex>, %z: tensor<f32>, %k: tensor<i32>, %i: tensor<4x1xi64>) {
  // CHECK: stablehlo.dynamic_broadcast_in_dim %{{.*}}, %{{.*}}, dims = [0, 1] : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0, 1] : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  // CHECK: stablehlo.dynamic_broadcast_in_dim %{{.*}}, %{{.*}}, dims = [0, 1] {known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>} : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  %1 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0, 1] {known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>} : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  // CHECK: stablehlo.dynamic_iota %{{.*}}, dim = 1 : (tensor<2xindex>) -> tensor<?x?xi32>
  %2 = stablehlo.dynamic_iota %n, dim = 1 : (tensor<2xindex>) -> tensor<?x?xi32>
  // CHECK: stablehlo.dynamic_pad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  %3 = stablehlo.dynamic_pad %a, %z, %s, %s, %s : (tensor<?x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  // CHECK: stablehlo.dynamic_reshape %{{.*}}, %{{.*}} : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<3x?xf32>
  %4 = stablehlo.dynamic_reshape %a, %s : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<3x?xf32>
  // CHECK: stablehlo.real_dynamic_slice %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  %5 = stablehlo.real_dynamic_slice %a, %s, %s, %s : (tensor<?x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  // CHECK: stablehlo.get_dimension_size %{{.*}}, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %6 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  // CHECK: stablehlo.set_dimension_size %{{.*}}, %{{.*}}, dim = 1 : (tensor<?x3xf32>, tensor<i32>) -> tensor<?x?xf32>
  %7 = stablehlo.set_dimension_size %a, %k, dim = 1 : (tensor<?x3xf32>, tensor<i32>) -> tensor<?x?xf32>
  // CHECK: "stablehlo.dynamic_gather"(%{{.*}}, %{{.*}}, %{{.*}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false}> : (tensor<?x3xf32>, tensor<4x1xi64>, tensor<2xi64>) -> tensor<4x?xf32>
  %8 = "stablehlo.dynamic_gather"(%a, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false}> : (tensor<?x3xf32>, tensor<4x1xi64>, tensor<2xi64>) -> tensor<4x?xf32>
  return
}

// Dimensions with bounds.
// CHECK-LABEL: func.func @bounds
func.func @bounds(%a: tensor<?x3xf32, #stablehlo.bounds<5, ?>>) {
  // CHECK: stablehlo.negate %{{.*}} : tensor<?x3xf32, #stablehlo.bounds<5, ?>>
  %0 = stablehlo.negate %a : tensor<?x3xf32, #stablehlo.bounds<5, ?>>
  return
}

// A convolution whose padding is an operand.
// CHECK-LABEL: func.func @dynamic_conv
func.func @dynamic_conv(%a: tensor<1x8x8x2xf32>, %b: tensor<3x3x2x6xf32>, %p: tensor<2x2xi64>) {
  // CHECK: "stablehlo.dynamic_conv"(%{{.*}}, %{{.*}}, %{{.*}}) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<1x8x8x2xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<1x?x?x6xf32>
  %0 = "stablehlo.dynamic_conv"(%a, %b, %p) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<1x8x8x2xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<1x?x?x6xf32>
  return
}
