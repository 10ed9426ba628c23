// RUN: drumlin run %s --interpret

// Operations whose sizes are operands.

func.func @main() {
  // Sizes of a constant, and of a dynamic value.
  %c1 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %c2 = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %r3 = stablehlo.dynamic_broadcast_in_dim %c1, %c2, dims = [1] : (tensor<3xi32>, tensor<2xi64>) -> tensor<?x?xi32>
  %r4 = stablehlo.get_dimension_size %r3, dim = 1 : (tensor<?x?xi32>) -> tensor<i32>
  %c5 = stablehlo.constant dense<3> : tensor<i32>
  stablehlo.custom_call @check.expect_eq(%r4, %c5) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
  %c6 = stablehlo.constant dense<[6]> : tensor<1xi64>
  %r7 = stablehlo.dynamic_reshape %r3, %c6 : (tensor<?x?xi32>, tensor<1xi64>) -> tensor<6xi32>
  %c8 = stablehlo.constant dense<[1, 2, 3, 1, 2, 3]> : tensor<6xi32>
  stablehlo.custom_call @check.expect_eq(%r7, %c8) {has_side_effect = true} : (tensor<6xi32>, tensor<6xi32>) -> ()

  // Indices of a dynamic shape.
  %c9 = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %r10 = stablehlo.dynamic_iota %c9, dim = 1 : (tensor<2xi32>) -> tensor<?x?xf32>
  %r11 = stablehlo.dynamic_reshape %r10, %c2 : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %c12 = stablehlo.constant dense<[[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]]> : tensor<2x3xf32>
  stablehlo.custom_call @check.expect_eq(%r11, %c12) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()

  // Padding before, behind and between elements.
  %c13 = stablehlo.constant dense<9> : tensor<i32>
  %c14 = stablehlo.constant dense<1> : tensor<1xi64>
  %c15 = stablehlo.constant dense<-1> : tensor<1xi64>
  %r16 = stablehlo.dynamic_pad %c1, %c13, %c14, %c15, %c14 : (tensor<3xi32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xi32>
  %c17 = stablehlo.constant dense<[9, 1, 9, 2, 9]> : tensor<5xi32>
  stablehlo.custom_call @check.expect_eq(%r16, %c17) {has_side_effect = true} : (tensor<5xi32>, tensor<5xi32>) -> ()

  // A slice with dynamic limits.
  %c18 = stablehlo.constant dense<3> : tensor<1xi64>
  %r19 = stablehlo.real_dynamic_slice %c1, %c14, %c18, %c14 : (tensor<3xi32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xi32>
  %c20 = stablehlo.constant dense<2> : tensor<1xi64>
  %r21 = stablehlo.dynamic_reshape %r19, %c20 : (tensor<?xi32>, tensor<1xi64>) -> tensor<2xi32>
  %c22 = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%r21, %c22) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()

  // Shortens a dimension within its bound.
  %c23 = stablehlo.constant dense<2> : tensor<i32>
  %r24 = stablehlo.set_dimension_size %c1, %c23, dim = 0 : (tensor<3xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<3>>
  %r25 = stablehlo.add %r24, %r24 : tensor<?xi32, #stablehlo.bounds<3>>
  %c26 = stablehlo.constant dense<2> : tensor<1xi64>
  %r27 = stablehlo.dynamic_reshape %r25, %c26 : (tensor<?xi32, #stablehlo.bounds<3>>, tensor<1xi64>) -> tensor<2xi32>
  %c28 = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%r27, %c28) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()

  // Enlarging a dimension exposes the elements behind its end, which were kept, computed or written
  // there.
  %g1 = stablehlo.constant dense<1> : tensor<i32>
  %g3 = stablehlo.constant dense<3> : tensor<i32>
  %g9 = stablehlo.constant dense<9> : tensor<1xi32>
  %g10 = stablehlo.set_dimension_size %c1, %g1, dim = 0 : (tensor<3xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<3>>
  %g11 = stablehlo.add %g10, %g10 : tensor<?xi32, #stablehlo.bounds<3>>
  %g12 = stablehlo.dynamic_update_slice %g11, %g9, %g1 : (tensor<?xi32, #stablehlo.bounds<3>>, tensor<1xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<3>>
  %g13 = stablehlo.set_dimension_size %g12, %g3, dim = 0 : (tensor<?xi32, #stablehlo.bounds<3>>, tensor<i32>) -> tensor<3xi32>
  %g14 = stablehlo.constant dense<[2, 9, 6]> : tensor<3xi32>
  stablehlo.custom_call @check.expect_eq(%g13, %g14) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()

  // Elements behind results of other operations are zero.
  %g20 = stablehlo.reverse %g12, dims = [0] : tensor<?xi32, #stablehlo.bounds<3>>
  %g21 = stablehlo.set_dimension_size %g20, %g3, dim = 0 : (tensor<?xi32, #stablehlo.bounds<3>>, tensor<i32>) -> tensor<3xi32>
  %g22 = stablehlo.constant dense<[2, 0, 0]> : tensor<3xi32>
  stablehlo.custom_call @check.expect_eq(%g21, %g22) {has_side_effect = true} : (tensor<3xi32>, tensor<3xi32>) -> ()

  // A slice contains only the valid elements.
  %g30 = stablehlo.slice %g10 [0:3] : (tensor<?xi32, #stablehlo.bounds<3>>) -> tensor<?xi32, #stablehlo.bounds<3>>
  %g31 = stablehlo.get_dimension_size %g30, dim = 0 : (tensor<?xi32, #stablehlo.bounds<3>>) -> tensor<i32>
  stablehlo.custom_call @check.expect_eq(%g31, %g1) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()

  // Slices of dynamic sizes.
  %c29 = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %c30 = stablehlo.constant dense<[[2], [0]]> : tensor<2x1xi64>
  %c31 = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %r32 = "stablehlo.dynamic_gather"(%c29, %c30, %c31) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<3x2xi32>, tensor<2x1xi64>, tensor<2xi64>) -> tensor<2x2xi32>
  %c33 = stablehlo.constant dense<[[5, 6], [1, 2]]> : tensor<2x2xi32>
  stablehlo.custom_call @check.expect_eq(%r32, %c33) {has_side_effect = true} : (tensor<2x2xi32>, tensor<2x2xi32>) -> ()

  // A convolution with dynamic padding.
  %c34 = stablehlo.constant dense<[[[1.0], [2.0], [3.0]]]> : tensor<1x3x1xf32>
  %c35 = stablehlo.constant dense<[[[1.0]], [[10.0]]]> : tensor<2x1x1xf32>
  %c36 = stablehlo.constant dense<[[1, 0]]> : tensor<1x2xi64>
  %r37 = "stablehlo.dynamic_conv"(%c34, %c35, %c36) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x1xf32>, tensor<2x1x1xf32>, tensor<1x2xi64>) -> tensor<1x?x1xf32>
  %c38 = stablehlo.constant dense<3> : tensor<1xi64>
  %r39 = stablehlo.dynamic_reshape %r37, %c38 : (tensor<1x?x1xf32>, tensor<1xi64>) -> tensor<3xf32>
  %c40 = stablehlo.constant dense<[10.0, 21.0, 32.0]> : tensor<3xf32>
  stablehlo.custom_call @check.expect_eq(%r39, %c40) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
  return
}
