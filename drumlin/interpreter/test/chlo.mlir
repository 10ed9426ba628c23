// RUN: drumlin run %s --interpret

// CHLO operations other than elementwise functions.

func.func @main() {
  %c1 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %c2 = stablehlo.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
  %c3 = stablehlo.constant dense<[100.0, 200.0]> : tensor<2xf32>

  // Operands of different shapes, aligned at their last dimensions or by broadcast_dimensions.
  %r4 = chlo.broadcast_add %c1, %c2 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %c5 = stablehlo.constant dense<[[11.0, 22.0, 33.0], [14.0, 25.0, 36.0]]> : tensor<2x3xf32>
  stablehlo.custom_call @check.expect_eq(%r4, %c5) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
  %r6 = chlo.broadcast_subtract %c3, %c1 {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %c7 = stablehlo.constant dense<[[99.0, 98.0, 97.0], [196.0, 195.0, 194.0]]> : tensor<2x3xf32>
  stablehlo.custom_call @check.expect_eq(%r6, %c7) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
  %c8 = stablehlo.constant dense<3.0> : tensor<f32>
  %r9 = chlo.broadcast_compare %c1, %c8 {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xi1>
  %c10 = stablehlo.constant dense<[[true, true, false], [false, false, false]]> : tensor<2x3xi1>
  stablehlo.custom_call @check.expect_eq(%r9, %c10) {has_side_effect = true} : (tensor<2x3xi1>, tensor<2x3xi1>) -> ()
  %c11 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %r12 = chlo.broadcast_select %c11, %c1, %c2 : (tensor<3xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %c13 = stablehlo.constant dense<[[1.0, 20.0, 3.0], [4.0, 20.0, 6.0]]> : tensor<2x3xf32>
  stablehlo.custom_call @check.expect_eq(%r12, %c13) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
  %r14 = chlo.constant dense<[1, 2]> : tensor<2xi32>
  %c15 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%r14, %c15) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()
  %r16 = "chlo.constant_like"(%c1) {value = 7.0 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %c17 = stablehlo.constant dense<7.0> : tensor<2x3xf32>
  stablehlo.custom_call @check.expect_eq(%r16, %c17) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()

  // Running sums, forwards and backwards.
  %r18:2 = chlo.scan(%c1) inits (%c3) dimension=1 {
  ^bb0(%x: tensor<2xf32>, %carry: tensor<2xf32>):
    %s = stablehlo.add %x, %carry : tensor<2xf32>
    stablehlo.return %carry, %s : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  %c19 = stablehlo.constant dense<[[100.0, 101.0, 103.0], [200.0, 204.0, 209.0]]> : tensor<2x3xf32>
  stablehlo.custom_call @check.expect_eq(%r18#0, %c19) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
  %c20 = stablehlo.constant dense<[106.0, 215.0]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_eq(%r18#1, %c20) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
  %r21:2 = chlo.scan(%c1) inits (%c3) dimension=1 attributes {is_reverse = true} {
  ^bb0(%x: tensor<2xf32>, %carry: tensor<2xf32>):
    %s = stablehlo.add %x, %carry : tensor<2xf32>
    stablehlo.return %carry, %s : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  %c22 = stablehlo.constant dense<[[105.0, 103.0, 100.0], [211.0, 206.0, 200.0]]> : tensor<2x3xf32>
  stablehlo.custom_call @check.expect_eq(%r21#0, %c22) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()

  // Groups of rows, each with its own matrix; the last row is in no group.
  %c23 = stablehlo.constant dense<[[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0]]> : tensor<4x2xf32>
  %c24 = stablehlo.constant dense<[[[1.0], [1.0]], [[10.0], [10.0]]]> : tensor<2x2x1xf32>
  %c25 = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %r26 = "chlo.ragged_dot"(%c23, %c24, %c25) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<4x2xf32>, tensor<2x2x1xf32>, tensor<2xi64>) -> tensor<4x1xf32>
  %c27 = stablehlo.constant dense<[[2.0], [40.0], [60.0], [0.0]]> : tensor<4x1xf32>
  stablehlo.custom_call @check.expect_eq(%r26, %c27) {has_side_effect = true} : (tensor<4x1xf32>, tensor<4x1xf32>) -> ()

  // Groups along the contracting dimension: each gives a matrix.
  %r28 = "chlo.ragged_dot"(%c23, %c23, %c25) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0]>} : (tensor<4x2xf32>, tensor<4x2xf32>, tensor<2xi64>) -> tensor<2x2x2xf32>
  %c29 = stablehlo.constant dense<[[[1.0, 1.0], [1.0, 1.0]], [[13.0, 13.0], [13.0, 13.0]]]> : tensor<2x2x2xf32>
  stablehlo.custom_call @check.expect_eq(%r28, %c29) {has_side_effect = true} : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> ()

  // Elements outside of a group don't affect its sums: here NaN and infinity in another group's
  // matrix and rows.
  %c32 = stablehlo.constant dense<[[[1.0], [1.0]], [[0x7FC00000], [0x7F800000]]]> : tensor<2x2x1xf32>
  %c33 = stablehlo.constant dense<[2, 0]> : tensor<2xi64>
  %r34 = "chlo.ragged_dot"(%c23, %c32, %c33) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<4x2xf32>, tensor<2x2x1xf32>, tensor<2xi64>) -> tensor<4x1xf32>
  %c35 = stablehlo.constant dense<[[2.0], [4.0], [0.0], [0.0]]> : tensor<4x1xf32>
  stablehlo.custom_call @check.expect_eq(%r34, %c35) {has_side_effect = true} : (tensor<4x1xf32>, tensor<4x1xf32>) -> ()
  %c36 = stablehlo.constant dense<[[1.0, 1.0], [2.0, 2.0], [0x7FC00000, 3.0], [4.0, 0x7F800000]]> : tensor<4x2xf32>
  %r37 = "chlo.ragged_dot"(%c23, %c36, %c33) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0]>} : (tensor<4x2xf32>, tensor<4x2xf32>, tensor<2xi64>) -> tensor<2x2x2xf32>
  %c38 = stablehlo.constant dense<[[[5.0, 5.0], [5.0, 5.0]], [[0.0, 0.0], [0.0, 0.0]]]> : tensor<2x2x2xf32>
  stablehlo.custom_call @check.expect_eq(%r37, %c38) {has_side_effect = true} : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> ()

  // Groups of batches: batches behind the last group are zero.
  %r30 = "chlo.ragged_dot"(%c23, %c23, %c25) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>} : (tensor<4x2xf32>, tensor<4x2xf32>, tensor<2xi64>) -> tensor<4xf32>
  %c31 = stablehlo.constant dense<[2.0, 8.0, 18.0, 0.0]> : tensor<4xf32>
  stablehlo.custom_call @check.expect_eq(%r30, %c31) {has_side_effect = true} : (tensor<4xf32>, tensor<4xf32>) -> ()
  return
}
