// RUN: drumlin-opt --simplify-dynamics %s | FileCheck %s

// Dynamic operations, with sizes that are constants and sizes known only at run time.

// The sizes are known from the result's type.
// CHECK-LABEL: func.func @reshape(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @reshape(%x: tensor<2x3xf32>, %s: tensor<1xi64>) -> tensor<6xf32> {
  // CHECK-NEXT: stablehlo.reshape %[[X]] : (tensor<2x3xf32>) -> tensor<6xf32>
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// The sizes are known only at run time: the operation stays.
// CHECK-LABEL: func.func @reshape_at_run_time(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @reshape_at_run_time(%x: tensor<2x3xf32>, %s: tensor<1xi64>) -> tensor<?xf32> {
  // CHECK-NEXT: stablehlo.dynamic_reshape
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// A broadcast to known sizes.
// CHECK-LABEL: func.func @broadcast(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @broadcast(%x: tensor<3xf32>, %s: tensor<2xi32>) -> tensor<2x3xf32> {
  // CHECK-NEXT: stablehlo.broadcast_in_dim %[[X]], dims = [1]
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// The sizes are known only at run time: the operation stays.
// CHECK-LABEL: func.func @broadcast_at_run_time(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @broadcast_at_run_time(%x: tensor<3xf32>, %s: tensor<2xi32>) -> tensor<?x3xf32> {
  // CHECK-NEXT: stablehlo.dynamic_broadcast_in_dim
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<3xf32>, tensor<2xi32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// An iota of static sizes.
// CHECK-LABEL: func.func @iota(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @iota(%x: tensor<2xi64>) -> tensor<4x2xi32> {
  // CHECK-NEXT: stablehlo.iota dim = 1 : tensor<4x2xi32>
  %0 = stablehlo.dynamic_iota %x, dim = 1 : (tensor<2xi64>) -> tensor<4x2xi32>
  return %0 : tensor<4x2xi32>
}

// The sizes are known only at run time: the operation stays.
// CHECK-LABEL: func.func @iota_at_run_time(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @iota_at_run_time(%x: tensor<2xi64>) -> tensor<?x2xi32> {
  // CHECK-NEXT: stablehlo.dynamic_iota
  %0 = stablehlo.dynamic_iota %x, dim = 1 : (tensor<2xi64>) -> tensor<?x2xi32>
  return %0 : tensor<?x2xi32>
}

// Padding by constants.
// CHECK-LABEL: func.func @pad(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @pad(%x: tensor<3xf32>, %p: tensor<f32>) -> tensor<6xf32> {
  // CHECK: stablehlo.pad %[[X]], %{{.*}}, low = [1], high = [2], interior = [0]
  %l = stablehlo.constant dense<1> : tensor<1xi64>
  %h = stablehlo.constant dense<2> : tensor<1xi64>
  %i = stablehlo.constant dense<0> : tensor<1xi64>
  %0 = stablehlo.dynamic_pad %x, %p, %l, %h, %i : (tensor<3xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// The padding is known only at run time: the operation stays.
// CHECK-LABEL: func.func @pad_at_run_time(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @pad_at_run_time(%x: tensor<3xf32>, %p: tensor<f32>, %l: tensor<1xi64>) -> tensor<6xf32> {
  // CHECK-NEXT: stablehlo.dynamic_pad
  %0 = stablehlo.dynamic_pad %x, %p, %l, %l, %l : (tensor<3xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// A slice between constants.
// CHECK-LABEL: func.func @slice(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @slice(%x: tensor<7xf32>) -> tensor<3xf32> {
  // CHECK: stablehlo.slice %[[X]] [1:6:2]
  %l = stablehlo.constant dense<1> : tensor<1xi64>
  %h = stablehlo.constant dense<6> : tensor<1xi64>
  %i = stablehlo.constant dense<2> : tensor<1xi64>
  %0 = stablehlo.real_dynamic_slice %x, %l, %h, %i : (tensor<7xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// The starts are known only at run time: the operation stays.
// CHECK-LABEL: func.func @slice_at_run_time(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @slice_at_run_time(%x: tensor<7xf32>, %l: tensor<1xi64>) -> tensor<3xf32> {
  // CHECK-NEXT: stablehlo.real_dynamic_slice
  %0 = stablehlo.real_dynamic_slice %x, %l, %l, %l : (tensor<7xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// Slices of constant sizes.
// CHECK-LABEL: func.func @gather(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @gather(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) -> tensor<3x5xf32> {
  // CHECK: "stablehlo.gather"(%[[X]], %{{.*}}) {{.*}}indices_are_sorted = true, slice_sizes = array<i64: 1, 5>
  %s = stablehlo.constant dense<[1, 5]> : tensor<2xi64>
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2xi64>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// The sizes are known only at run time: the operation stays.
// CHECK-LABEL: func.func @gather_at_run_time(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @gather_at_run_time(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>, %s: tensor<2xi64>) -> tensor<3x5xf32> {
  // CHECK-NEXT: "stablehlo.dynamic_gather"
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2xi64>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// A static size.
// CHECK-LABEL: func.func @size(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @size(%x: tensor<4x5xf32>) -> tensor<i32> {
  // CHECK-NEXT: stablehlo.constant dense<5> : tensor<i32>
  %0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<4x5xf32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// The size is dynamic: the operation stays.
// CHECK-LABEL: func.func @size_at_run_time(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @size_at_run_time(%x: tensor<4x?xf32>) -> tensor<i32> {
  // CHECK-NEXT: stablehlo.get_dimension_size
  %0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<4x?xf32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// Sizes computed from static sizes are known.
// CHECK-LABEL: func.func @computed_sizes(
func.func @computed_sizes(%x: tensor<4x5xf32>, %z: tensor<f32>) -> tensor<4x6xf32> {
  // CHECK: stablehlo.pad %{{.*}}, %{{.*}}, low = [0, 1], high = [0, 0], interior = [0, 0]
  %size = stablehlo.get_dimension_size %x, dim = 0 : (tensor<4x5xf32>) -> tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.subtract %size, %three : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %last = stablehlo.reshape %one : (tensor<i32>) -> tensor<1xi32>
  %low = stablehlo.concatenate %zero, %last, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %none = stablehlo.constant dense<0> : tensor<2xi32>
  %0 = stablehlo.dynamic_pad %x, %z, %low, %none, %none : (tensor<4x5xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Padding by constants.
// CHECK-LABEL: func.func @convolution(
func.func @convolution(%x: tensor<1x4x2xf32>, %w: tensor<3x2x2xf32>) -> tensor<1x3x2xf32> {
  // CHECK: stablehlo.convolution(%{{.*}}, %{{.*}}) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = {{\[\[}}0, 1]]}
  %p = stablehlo.constant dense<[[0, 1]]> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%x, %w, %p) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64}> : (tensor<1x4x2xf32>, tensor<3x2x2xf32>, tensor<1x2xi64>) -> tensor<1x3x2xf32>
  return %0 : tensor<1x3x2xf32>
}
