// RUN: drumlin run %s --interpret

// Decompositions, transforms and normalizations.

func.func @main() {
  // Factors a matrix into L and its adjoint; the operand's other triangle is not read.
  %c1 = stablehlo.constant dense<[[4.0, 99.0], [2.0, 10.0]]> : tensor<2x2xf32>
  %r2 = stablehlo.cholesky %c1, lower = true : tensor<2x2xf32>
  %c3 = stablehlo.constant dense<[[2.0, 0.0], [1.0, 3.0]]> : tensor<2x2xf32>
  stablehlo.custom_call @check.expect_eq(%r2, %c3) {has_side_effect = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
  %c4 = stablehlo.constant dense<[[4.0, 2.0], [99.0, 10.0]]> : tensor<2x2xf32>
  %r5 = stablehlo.cholesky %c4 : tensor<2x2xf32>
  %c6 = stablehlo.constant dense<[[2.0, 1.0], [0.0, 3.0]]> : tensor<2x2xf32>
  stablehlo.custom_call @check.expect_eq(%r5, %c6) {has_side_effect = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
  %c7 = stablehlo.constant dense<[[-1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>
  %r8 = stablehlo.cholesky %c7 : tensor<2x2xf32>
  %c9 = stablehlo.constant dense<0x7FC00000> : tensor<2x2xf32>
  stablehlo.custom_call @check.expect_eq(%r8, %c9) {has_side_effect = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
  %c10 = stablehlo.constant dense<[[(4.0, 0.0), (0.0, 0.0)], [(0.0, 2.0), (10.0, 0.0)]]> : tensor<2x2xcomplex<f64>>
  %r11 = stablehlo.cholesky %c10, lower = true : tensor<2x2xcomplex<f64>>
  %c12 = stablehlo.constant dense<[[(2.0, 0.0), (0.0, 0.0)], [(0.0, 1.0), (3.0, 0.0)]]> : tensor<2x2xcomplex<f64>>
  stablehlo.custom_call @check.expect_eq(%r11, %c12) {has_side_effect = true} : (tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>) -> ()

  // Triangular systems from both sides, plain and transposed.
  %c13 = stablehlo.constant dense<[[2.0, 99.0], [1.0, 4.0]]> : tensor<2x2xf32>
  %c14 = stablehlo.constant dense<[[2.0, 4.0], [9.0, 6.0]]> : tensor<2x2xf32>
  %r15 = "stablehlo.triangular_solve"(%c13, %c14) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %c16 = stablehlo.constant dense<[[1.0, 2.0], [2.0, 1.0]]> : tensor<2x2xf32>
  stablehlo.custom_call @check.expect_eq(%r15, %c16) {has_side_effect = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
  %r17 = "stablehlo.triangular_solve"(%c13, %c14) {left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %c18 = stablehlo.constant dense<[[2.0, 4.0], [7.0, 2.0]]> : tensor<2x2xf32>
  stablehlo.custom_call @check.expect_eq(%r17, %c18) {has_side_effect = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
  %r19 = "stablehlo.triangular_solve"(%c13, %c14) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %c20 = stablehlo.constant dense<[[-0.125, 1.25], [2.25, 1.5]]> : tensor<2x2xf32>
  stablehlo.custom_call @check.expect_eq(%r19, %c20) {has_side_effect = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
  %r21 = "stablehlo.triangular_solve"(%c13, %c14) {left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %c22 = stablehlo.constant dense<[[0.5, 1.0], [3.75, 1.5]]> : tensor<2x2xf32>
  stablehlo.custom_call @check.expect_eq(%r21, %c22) {has_side_effect = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()

  // Transforms a unit impulse and a constant, and back; one length is not a power of two.
  %c23 = stablehlo.constant dense<[(1.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0)]> : tensor<4xcomplex<f32>>
  %r24 = stablehlo.fft %c23, type = FFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %c25 = stablehlo.constant dense<(1.0, 0.0)> : tensor<4xcomplex<f32>>
  stablehlo.custom_call @check.expect_eq(%r24, %c25) {has_side_effect = true} : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> ()
  %c26 = stablehlo.constant dense<(1.0, 0.0)> : tensor<4xcomplex<f32>>
  %r27 = stablehlo.fft %c26, type = IFFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %c28 = stablehlo.constant dense<[(1.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0)]> : tensor<4xcomplex<f32>>
  stablehlo.custom_call @check.expect_eq(%r27, %c28) {has_side_effect = true} : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> ()
  %c29 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %r30 = stablehlo.fft %c29, type = RFFT, length = [4] : (tensor<4xf32>) -> tensor<3xcomplex<f32>>
  %c31 = stablehlo.constant dense<[(10.0, 0.0), (-2.0, 2.0), (-2.0, 0.0)]> : tensor<3xcomplex<f32>>
  stablehlo.custom_call @check.expect_eq(%r30, %c31) {has_side_effect = true} : (tensor<3xcomplex<f32>>, tensor<3xcomplex<f32>>) -> ()
  %r32 = stablehlo.fft %r30, type = IRFFT, length = [4] : (tensor<3xcomplex<f32>>) -> tensor<4xf32>
  %c33 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  stablehlo.custom_call @check.expect_eq(%r32, %c33) {has_side_effect = true} : (tensor<4xf32>, tensor<4xf32>) -> ()
  %c34 = stablehlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf64>
  %r35 = stablehlo.fft %c34, type = RFFT, length = [3] : (tensor<3xf64>) -> tensor<2xcomplex<f64>>
  %c36 = stablehlo.constant dense<[(7.0, 0.0), (-2.0, 1.7320508075688772)]> : tensor<2xcomplex<f64>>
  stablehlo.custom_call @check.expect_close(%r35, %c36) {has_side_effect = true} : (tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>) -> ()
  %r37 = stablehlo.fft %r35, type = IRFFT, length = [3] : (tensor<2xcomplex<f64>>) -> tensor<3xf64>
  %c38 = stablehlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf64>
  stablehlo.custom_call @check.expect_close(%r37, %c38) {has_side_effect = true} : (tensor<3xf64>, tensor<3xf64>) -> ()

  // Normalization over the first dimension.
  %c39 = stablehlo.constant dense<[[1.0, 10.0], [3.0, 30.0]]> : tensor<2x2xf64>
  %c40 = stablehlo.constant dense<1.0> : tensor<2xf64>
  %c41 = stablehlo.constant dense<0.0> : tensor<2xf64>
  %r42:3 = "stablehlo.batch_norm_training"(%c39, %c40, %c41) {epsilon = 0.0 : f32, feature_index = 1 : i64} : (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>)
  %c43 = stablehlo.constant dense<[[-1.0, -1.0], [1.0, 1.0]]> : tensor<2x2xf64>
  stablehlo.custom_call @check.expect_eq(%r42#0, %c43) {has_side_effect = true} : (tensor<2x2xf64>, tensor<2x2xf64>) -> ()
  %c44 = stablehlo.constant dense<[2.0, 20.0]> : tensor<2xf64>
  stablehlo.custom_call @check.expect_eq(%r42#1, %c44) {has_side_effect = true} : (tensor<2xf64>, tensor<2xf64>) -> ()
  %c45 = stablehlo.constant dense<[1.0, 100.0]> : tensor<2xf64>
  stablehlo.custom_call @check.expect_eq(%r42#2, %c45) {has_side_effect = true} : (tensor<2xf64>, tensor<2xf64>) -> ()
  %r46 = "stablehlo.batch_norm_inference"(%c39, %c40, %c40, %r42#1, %r42#2) {epsilon = 0.0 : f32, feature_index = 1 : i64} : (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  %c47 = stablehlo.constant dense<[[0.0, 0.0], [2.0, 2.0]]> : tensor<2x2xf64>
  stablehlo.custom_call @check.expect_eq(%r46, %c47) {has_side_effect = true} : (tensor<2x2xf64>, tensor<2x2xf64>) -> ()
  %c48 = stablehlo.constant dense<[[1.0, 0.0], [1.0, 2.0]]> : tensor<2x2xf64>
  %r49:3 = "stablehlo.batch_norm_grad"(%c39, %c40, %r42#1, %r42#2, %c48) {epsilon = 0.0 : f32, feature_index = 1 : i64} : (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>)
  %c50 = stablehlo.constant dense<0.0> : tensor<2x2xf64>
  stablehlo.custom_call @check.expect_eq(%r49#0, %c50) {has_side_effect = true} : (tensor<2x2xf64>, tensor<2x2xf64>) -> ()
  %c51 = stablehlo.constant dense<[0.0, 2.0]> : tensor<2xf64>
  stablehlo.custom_call @check.expect_eq(%r49#1, %c51) {has_side_effect = true} : (tensor<2xf64>, tensor<2xf64>) -> ()
  %c52 = stablehlo.constant dense<[2.0, 2.0]> : tensor<2xf64>
  stablehlo.custom_call @check.expect_eq(%r49#2, %c52) {has_side_effect = true} : (tensor<2xf64>, tensor<2xf64>) -> ()
  return
}
