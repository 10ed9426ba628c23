// RUN: drumlin-opt %s -split-input-file -verify-diagnostics

// One invalid program for each constraint on transforms and decompositions.

// The result must have the operand's type.
func.func @cholesky_c1(%a: tensor<3x3xf32>) {
  // expected-error@+1 {{(cholesky_c1)}}
  %0 = stablehlo.cholesky %a : (tensor<3x3xf32>) -> tensor<3x4xf32>
  return
}

// -----

// The operand must have at least two dimensions.
func.func @cholesky_c2(%a: tensor<3xf32>) {
  // expected-error@+1 {{(cholesky_c2)}}
  %0 = stablehlo.cholesky %a : tensor<3xf32>
  return
}

// -----

// Matrices must be square.
func.func @cholesky_c3(%a: tensor<3x4xf32>) {
  // expected-error@+1 {{(cholesky_c3)}}
  %0 = stablehlo.cholesky %a : tensor<3x4xf32>
  return
}

// -----

// There must be no more lengths than dimensions.
func.func @fft_c1(%a: tensor<8xcomplex<f32>>) {
  // expected-error@+1 {{(fft_c1)}}
  %0 = "stablehlo.fft"(%a) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 8, 8>} : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  return
}

// -----

// FFT needs complex numbers.
func.func @fft_c2(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{(fft_c2)}}
  %0 = "stablehlo.fft"(%a) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 8>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// RFFT needs real numbers.
func.func @fft_c2(%a: tensor<4x8xcomplex<f32>>) {
  // expected-error@+1 {{(fft_c2)}}
  %0 = "stablehlo.fft"(%a) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 8>} : (tensor<4x8xcomplex<f32>>) -> tensor<4x5xcomplex<f32>>
  return
}

// -----

// The results of IRFFT must be real.
func.func @fft_c2(%a: tensor<4x5xcomplex<f32>>) {
  // expected-error@+1 {{(fft_c2)}}
  %0 = "stablehlo.fft"(%a) {fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 8>} : (tensor<4x5xcomplex<f32>>) -> tensor<4x8xf64>
  return
}

// -----

// There must be one to three lengths.
func.func @fft_c3(%a: tensor<1x1x1x1xcomplex<f32>>) {
  // expected-error@+1 {{(fft_c3)}}
  %0 = "stablehlo.fft"(%a) {fft_type = #stablehlo<fft_type IFFT>, fft_length = array<i64: 1, 1, 1, 1>} : (tensor<1x1x1x1xcomplex<f32>>) -> tensor<1x1x1x1xcomplex<f32>>
  return
}

// -----

// The sizes of the operand's innermost dimensions must equal the lengths.
func.func @fft_c4(%a: tensor<4x8xcomplex<f32>>) {
  // expected-error@+1 {{(fft_c4)}}
  %0 = "stablehlo.fft"(%a) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 7>} : (tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
  return
}

// -----

// The last size of the operand of an inverse real transform of length n must be n / 2 + 1.
func.func @fft_c4(%a: tensor<4x8xcomplex<f32>>) {
  // expected-error@+1 {{(fft_c4)}}
  %0 = "stablehlo.fft"(%a) {fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 8>} : (tensor<4x8xcomplex<f32>>) -> tensor<4x8xf32>
  return
}

// -----

// The last size of the result of a real transform of length n must be n / 2 + 1.
func.func @fft_c5(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{(fft_c5)}}
  %0 = "stablehlo.fft"(%a) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 8>} : (tensor<4x8xf32>) -> tensor<4x8xcomplex<f32>>
  return
}

// -----

// All values must have the same kind of element.
func.func @triangular_solve_c1(%a: tensor<2x3x3xf32>, %b: tensor<2x3x5xf64>) {
  // expected-error@+1 {{(triangular_solve_c1)}}
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x3x3xf32>, tensor<2x3x5xf64>) -> tensor<2x3x5xf64>
  return
}

// -----

// Operands must have the same rank.
func.func @triangular_solve_c2(%a: tensor<2x3x3xf32>, %b: tensor<3x5xf32>) {
  // expected-error@+1 {{(triangular_solve_c2)}}
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x3x3xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

// The coefficients must be square matrices.
func.func @triangular_solve_c3(%a: tensor<2x3x4xf32>, %b: tensor<2x3x5xf32>) {
  // expected-error@+1 {{(triangular_solve_c3)}}
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x3x4xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

// If a is on the right, b must have the same number of columns as a.
func.func @triangular_solve_c3(%a: tensor<2x3x3xf32>, %b: tensor<2x3x5xf32>) {
  // expected-error@+1 {{(triangular_solve_c3)}}
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>} : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

// The batch dimensions must be equal.
func.func @triangular_solve_c3(%a: tensor<2x3x3xf32>, %b: tensor<4x3x5xf32>) {
  // expected-error@+1 {{(triangular_solve_c3)}}
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x3x3xf32>, tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  return
}

// -----

// The result must have the type of b.
func.func @triangular_solve_c4(%a: tensor<2x3x3xf32>, %b: tensor<2x3x5xf32>) {
  // expected-error@+1 {{(triangular_solve_c4)}}
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x6xf32>
  return
}

// -----

// The transposition of the coefficients must not be TRANSPOSE_INVALID.
func.func @triangular_solve_i6(%a: tensor<2x3x3xf32>, %b: tensor<2x3x5xf32>) {
  // expected-error@+1 {{(triangular_solve_i6)}}
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE_INVALID>} : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return
}
