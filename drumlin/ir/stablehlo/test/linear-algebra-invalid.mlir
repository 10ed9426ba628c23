// RUN: drumlin-opt %s -split-input-file -verify-diagnostics

// One broken program for each constraint on transforms and decompositions.

// A result of the operand's type.
func.func @cholesky_c1(%a: tensor<3x3xf32>) {
  // expected-error@+1 {{(cholesky_c1)}}
  %0 = stablehlo.cholesky %a : (tensor<3x3xf32>) -> tensor<3x4xf32>
  return
}

// -----

// A matrix at least.
func.func @cholesky_c2(%a: tensor<3xf32>) {
  // expected-error@+1 {{(cholesky_c2)}}
  %0 = stablehlo.cholesky %a : tensor<3xf32>
  return
}

// -----

// Square matrices.
func.func @cholesky_c3(%a: tensor<3x4xf32>) {
  // expected-error@+1 {{(cholesky_c3)}}
  %0 = stablehlo.cholesky %a : tensor<3x4xf32>
  return
}

// -----

// No more lengths than dimensions.
func.func @fft_c1(%a: tensor<8xcomplex<f32>>) {
  // expected-error@+1 {{(fft_c1)}}
  %0 = "stablehlo.fft"(%a) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 8, 8>} : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  return
}

// -----

// Complex numbers for FFT.
func.func @fft_c2(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{(fft_c2)}}
  %0 = "stablehlo.fft"(%a) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 8>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Real numbers for RFFT.
func.func @fft_c2(%a: tensor<4x8xcomplex<f32>>) {
  // expected-error@+1 {{(fft_c2)}}
  %0 = "stablehlo.fft"(%a) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 8>} : (tensor<4x8xcomplex<f32>>) -> tensor<4x5xcomplex<f32>>
  return
}

// -----

// Real results of IRFFT.
func.func @fft_c2(%a: tensor<4x5xcomplex<f32>>) {
  // expected-error@+1 {{(fft_c2)}}
  %0 = "stablehlo.fft"(%a) {fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 8>} : (tensor<4x5xcomplex<f32>>) -> tensor<4x8xf64>
  return
}

// -----

// One to three lengths.
func.func @fft_c3(%a: tensor<1x1x1x1xcomplex<f32>>) {
  // expected-error@+1 {{(fft_c3)}}
  %0 = "stablehlo.fft"(%a) {fft_type = #stablehlo<fft_type IFFT>, fft_length = array<i64: 1, 1, 1, 1>} : (tensor<1x1x1x1xcomplex<f32>>) -> tensor<1x1x1x1xcomplex<f32>>
  return
}

// -----

// The operand has the lengths.
func.func @fft_c4(%a: tensor<4x8xcomplex<f32>>) {
  // expected-error@+1 {{(fft_c4)}}
  %0 = "stablehlo.fft"(%a) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 7>} : (tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
  return
}

// -----

// The inverse transform to real numbers takes half of the last length.
func.func @fft_c4(%a: tensor<4x8xcomplex<f32>>) {
  // expected-error@+1 {{(fft_c4)}}
  %0 = "stablehlo.fft"(%a) {fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 8>} : (tensor<4x8xcomplex<f32>>) -> tensor<4x8xf32>
  return
}

// -----

// The transform of real numbers gives half of the last length.
func.func @fft_c5(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{(fft_c5)}}
  %0 = "stablehlo.fft"(%a) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 8>} : (tensor<4x8xf32>) -> tensor<4x8xcomplex<f32>>
  return
}

// -----

// One kind of element.
func.func @triangular_solve_c1(%a: tensor<2x3x3xf32>, %b: tensor<2x3x5xf64>) {
  // expected-error@+1 {{(triangular_solve_c1)}}
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x3x3xf32>, tensor<2x3x5xf64>) -> tensor<2x3x5xf64>
  return
}

// -----

// Operands of one rank.
func.func @triangular_solve_c2(%a: tensor<2x3x3xf32>, %b: tensor<3x5xf32>) {
  // expected-error@+1 {{(triangular_solve_c2)}}
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x3x3xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

// Square coefficients.
func.func @triangular_solve_c3(%a: tensor<2x3x4xf32>, %b: tensor<2x3x5xf32>) {
  // expected-error@+1 {{(triangular_solve_c3)}}
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x3x4xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

// On the right, as many columns as coefficients.
func.func @triangular_solve_c3(%a: tensor<2x3x3xf32>, %b: tensor<2x3x5xf32>) {
  // expected-error@+1 {{(triangular_solve_c3)}}
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>} : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

// One batch.
func.func @triangular_solve_c3(%a: tensor<2x3x3xf32>, %b: tensor<4x3x5xf32>) {
  // expected-error@+1 {{(triangular_solve_c3)}}
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x3x3xf32>, tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  return
}

// -----

// A result of the type of b.
func.func @triangular_solve_c4(%a: tensor<2x3x3xf32>, %b: tensor<2x3x5xf32>) {
  // expected-error@+1 {{(triangular_solve_c4)}}
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x6xf32>
  return
}

// -----

// A known way to take the coefficients.
func.func @triangular_solve_i6(%a: tensor<2x3x3xf32>, %b: tensor<2x3x5xf32>) {
  // expected-error@+1 {{(triangular_solve_i6)}}
  %0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE_INVALID>} : (tensor<2x3x3xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return
}
