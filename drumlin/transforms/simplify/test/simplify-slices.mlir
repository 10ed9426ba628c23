// RUN: drumlin-opt --simplify-slices %s | FileCheck %s

// Slices, concatenations, padding and reversals. Those that move nothing are removed, and chains become one operation.

// slice(x, all of it) = x.
// CHECK-LABEL: func.func @slice_of_all(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @slice_of_all(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = stablehlo.slice %x [0:4, 0:5] : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// A slice of a part stays.
// CHECK-LABEL: func.func @slice_of_a_part(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @slice_of_a_part(%x: tensor<4x5xf32>) -> tensor<4x4xf32> {
  // CHECK-NEXT: stablehlo.slice
  %0 = stablehlo.slice %x [0:4, 1:5] : (tensor<4x5xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// slice(slice(x)) = slice(x), with starts and strides multiplied out.
// CHECK-LABEL: func.func @slice_of_slice(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @slice_of_slice(%x: tensor<20xf32>) -> tensor<2xf32> {
  // CHECK-NEXT: stablehlo.slice %[[X]] [4:11:6] : (tensor<20xf32>) -> tensor<2xf32>
  %0 = stablehlo.slice %x [1:18:3] : (tensor<20xf32>) -> tensor<6xf32>
  %1 = stablehlo.slice %0 [1:5:2] : (tensor<6xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// A slice of a slice without elements also becomes one slice.
// CHECK-LABEL: func.func @slice_of_nothing(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @slice_of_nothing(%x: tensor<20xf32>) -> tensor<0xf32> {
  // CHECK-NEXT: stablehlo.slice %[[X]] [0:0:3] : (tensor<20xf32>) -> tensor<0xf32>
  %0 = stablehlo.slice %x [1:18:3] : (tensor<20xf32>) -> tensor<6xf32>
  %1 = stablehlo.slice %0 [6:6] : (tensor<6xf32>) -> tensor<0xf32>
  return %1 : tensor<0xf32>
}

// A reversal between two slices prevents the simplification.
// CHECK-LABEL: func.func @slice_of_reverse(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @slice_of_reverse(%x: tensor<20xf32>) -> tensor<2xf32> {
  // CHECK-NEXT: stablehlo.slice
  // CHECK-NEXT: stablehlo.reverse
  // CHECK-NEXT: stablehlo.slice
  %0 = stablehlo.slice %x [0:6] : (tensor<20xf32>) -> tensor<6xf32>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<6xf32>
  %2 = stablehlo.slice %1 [0:2] : (tensor<6xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// A slice that reads a single input of a concatenation becomes a slice of that input.
// CHECK-LABEL: func.func @slice_of_concatenation(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @slice_of_concatenation(%x: tensor<3xf32>, %y: tensor<4xf32>) -> tensor<2xf32> {
  // CHECK: stablehlo.slice %[[X]] [1:3] : (tensor<3xf32>) -> tensor<2xf32>
  %0 = stablehlo.concatenate %y, %x, dim = 0 : (tensor<4xf32>, tensor<3xf32>) -> tensor<7xf32>
  %1 = stablehlo.slice %0 [5:7] : (tensor<7xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// A slice that reads two inputs stays.
// CHECK-LABEL: func.func @slice_across_a_concatenation(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @slice_across_a_concatenation(%x: tensor<3xf32>, %y: tensor<4xf32>) -> tensor<2xf32> {
  // CHECK-NEXT: stablehlo.concatenate
  // CHECK-NEXT: stablehlo.slice
  %0 = stablehlo.concatenate %y, %x, dim = 0 : (tensor<4xf32>, tensor<3xf32>) -> tensor<7xf32>
  %1 = stablehlo.slice %0 [3:5] : (tensor<7xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// dynamic_slice(x, …) = x, if the sizes are the same.
// CHECK-LABEL: func.func @dynamic_slice_of_all(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @dynamic_slice_of_all(%x: tensor<4xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [4] : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Constant starts are clamped.
// CHECK-LABEL: func.func @dynamic_slice_at_constants(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @dynamic_slice_at_constants(%x: tensor<4x9xf32>) -> tensor<2x3xf32> {
  // CHECK: stablehlo.slice %[[X]] [0:2, 6:9]
  %i = stablehlo.constant dense<-5> : tensor<i32>
  %j = stablehlo.constant dense<7> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [2, 3] : (tensor<4x9xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// Starts known only at run time stay.
// CHECK-LABEL: func.func @dynamic_slice_at_a_value(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @dynamic_slice_at_a_value(%x: tensor<4xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  // CHECK-NEXT: stablehlo.dynamic_slice
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<4xf32>, tensor<i32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// dynamic_update_slice(y, x, …) = x, if x is as large as y.
// CHECK-LABEL: func.func @update_of_all(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @update_of_all(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = stablehlo.dynamic_update_slice %y, %x, %i : (tensor<4xf32>, tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// An update without elements changes nothing.
// CHECK-LABEL: func.func @update_of_nothing(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @update_of_nothing(%x: tensor<4xf32>, %y: tensor<0xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = stablehlo.dynamic_update_slice %x, %y, %i : (tensor<4xf32>, tensor<0xf32>, tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// An update of only a part stays.
// CHECK-LABEL: func.func @update_of_a_part(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @update_of_a_part(%x: tensor<4xf32>, %y: tensor<2xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  // CHECK-NEXT: stablehlo.dynamic_update_slice
  %0 = stablehlo.dynamic_update_slice %x, %y, %i : (tensor<4xf32>, tensor<2xf32>, tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// concatenate(x) = x.
// CHECK-LABEL: func.func @concatenation_of_one(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @concatenation_of_one(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = stablehlo.concatenate %x, dim = 0 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Inputs without elements are removed.
// CHECK-LABEL: func.func @concatenation_with_nothing(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @concatenation_with_nothing(%x: tensor<2xf32>, %y: tensor<0xf32>, %z: tensor<3xf32>) -> tensor<5xf32> {
  // CHECK-NEXT: stablehlo.concatenate %[[X]], %{{[a-z0-9]+}}, dim = 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  %0 = stablehlo.concatenate %x, %y, %z, dim = 0 : (tensor<2xf32>, tensor<0xf32>, tensor<3xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// If no input has elements, the first one is returned.
// CHECK-LABEL: func.func @concatenation_of_nothing(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @concatenation_of_nothing(%x: tensor<0xf32>, %y: tensor<0xf32>) -> tensor<0xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<0xf32>, tensor<0xf32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

// Two concatenations along one dimension become one.
// CHECK-LABEL: func.func @concatenation_of_concatenation(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @concatenation_of_concatenation(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<7xf32> {
  // CHECK-NEXT: stablehlo.concatenate %[[X]], %{{.*}}, %[[X]], dim = 0 : (tensor<2xf32>, tensor<3xf32>, tensor<2xf32>) -> tensor<7xf32>
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  %1 = stablehlo.concatenate %0, %x, dim = 0 : (tensor<5xf32>, tensor<2xf32>) -> tensor<7xf32>
  return %1 : tensor<7xf32>
}

// An inner concatenation with other users stays, since it is stored anyway.
// CHECK-LABEL: func.func @concatenation_of_one_that_others_read(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @concatenation_of_one_that_others_read(%x: tensor<2xf32>, %y: tensor<3xf32>) -> (tensor<5xf32>, tensor<7xf32>) {
  // CHECK-NEXT: %[[C:.*]] = stablehlo.concatenate
  // CHECK-NEXT: stablehlo.concatenate %[[C]], %[[X]]
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  %1 = stablehlo.concatenate %0, %x, dim = 0 : (tensor<5xf32>, tensor<2xf32>) -> tensor<7xf32>
  return %0, %1 : tensor<5xf32>, tensor<7xf32>
}

// pad(x, nothing) = x.
// CHECK-LABEL: func.func @pad_with_nothing(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @pad_with_nothing(%x: tensor<4xf32>, %p: tensor<f32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = stablehlo.pad %x, %p, low = [0], high = [0], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Padding that removes elements on one side and adds them on the other stays.
// CHECK-LABEL: func.func @pad_that_shifts(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @pad_that_shifts(%x: tensor<4xf32>, %p: tensor<f32>) -> tensor<4xf32> {
  // CHECK-NEXT: stablehlo.pad
  %0 = stablehlo.pad %x, %p, low = [1], high = [-1], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Reversing a dimension of one element changes nothing.
// CHECK-LABEL: func.func @reverse_of_one_element(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @reverse_of_one_element(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = stablehlo.reverse %x, dims = [0] : tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// reverse(reverse(x)) = x.
// CHECK-LABEL: func.func @reverse_twice(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @reverse_twice(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // CHECK: return %[[X]]
  %0 = stablehlo.reverse %x, dims = [0, 1] : tensor<3x4xf32>
  %1 = stablehlo.reverse %0, dims = [1, 0] : tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}

// Reversals of different dimensions both stay.
// CHECK-LABEL: func.func @reverse_of_other_dimensions(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @reverse_of_other_dimensions(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // CHECK-COUNT-2: stablehlo.reverse
  %0 = stablehlo.reverse %x, dims = [0] : tensor<3x4xf32>
  %1 = stablehlo.reverse %0, dims = [1] : tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}
