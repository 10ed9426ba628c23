// RUN: drumlin run %s --interpret

// Operations of older StableHLO programs.

func.func @main() {
  %c1 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %c2 = stablehlo.constant dense<[[1.0, 10.0], [100.0, 1000.0]]> : tensor<2x2xf32>

  // Repeats along a new outer dimension.
  %r3 = stablehlo.broadcast %c1, sizes = [2] : (tensor<2x2xf32>) -> tensor<2x2x2xf32>
  %c4 = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.0], [3.0, 4.0]]]> : tensor<2x2x2xf32>
  stablehlo.custom_call @check.expect_eq(%r3, %c4) {has_side_effect = true} : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> ()

  // Matrix products, and sums over labels.
  %r5 = stablehlo.dot %c1, %c2 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %c6 = stablehlo.constant dense<[[201.0, 2010.0], [403.0, 4030.0]]> : tensor<2x2xf32>
  stablehlo.custom_call @check.expect_eq(%r5, %c6) {has_side_effect = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
  %r7 = stablehlo.einsum %c1, %c2, config = "ab,bc->ac" : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %c8 = stablehlo.constant dense<[[201.0, 2010.0], [403.0, 4030.0]]> : tensor<2x2xf32>
  stablehlo.custom_call @check.expect_eq(%r7, %c8) {has_side_effect = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
  %r9 = stablehlo.einsum %c1, %c2, config = "ab,ab->b" : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2xf32>
  %c10 = stablehlo.constant dense<[301.0, 4020.0]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_eq(%r9, %c10) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
  %r11 = stablehlo.unary_einsum %c1, config = "aa->a" : (tensor<2x2xf32>) -> tensor<2xf32>
  %c12 = stablehlo.constant dense<[1.0, 4.0]> : tensor<2xf32>
  stablehlo.custom_call @check.expect_eq(%r11, %c12) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
  %r13 = stablehlo.unary_einsum %c1, config = "...->" : (tensor<2x2xf32>) -> tensor<f32>
  %c14 = stablehlo.constant dense<10.0> : tensor<f32>
  stablehlo.custom_call @check.expect_eq(%r13, %c14) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()

  // Maps a function over elements.
  %r15 = "stablehlo.map"(%c1, %c2) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.subtract %y, %x : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %c16 = stablehlo.constant dense<[[0.0, 8.0], [97.0, 996.0]]> : tensor<2x2xf32>
  stablehlo.custom_call @check.expect_eq(%r15, %c16) {has_side_effect = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()

  // Selects columns by index, and rows by an index for each batch.
  %c17 = stablehlo.constant dense<[1, 0, 1]> : tensor<3xi32>
  %r18 = "stablehlo.torch_index_select"(%c1, %c17) {dim = 1 : i64, batch_dims = 0 : i64} : (tensor<2x2xf32>, tensor<3xi32>) -> tensor<2x3xf32>
  %c19 = stablehlo.constant dense<[[2.0, 1.0, 2.0], [4.0, 3.0, 4.0]]> : tensor<2x3xf32>
  stablehlo.custom_call @check.expect_eq(%r18, %c19) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
  %c20 = stablehlo.constant dense<[[1], [0]]> : tensor<2x1xi32>
  %r21 = "stablehlo.torch_index_select"(%c1, %c20) {dim = 1 : i64, batch_dims = 1 : i64} : (tensor<2x2xf32>, tensor<2x1xi32>) -> tensor<2x1xf32>
  %c22 = stablehlo.constant dense<[[2.0], [3.0]]> : tensor<2x1xf32>
  stablehlo.custom_call @check.expect_eq(%r21, %c22) {has_side_effect = true} : (tensor<2x1xf32>, tensor<2x1xf32>) -> ()
  return
}
