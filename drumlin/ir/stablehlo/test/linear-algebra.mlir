// RUN: drumlin-opt %s | FileCheck %s
// RUN: drumlin-opt %s --mlir-print-op-generic | drumlin-opt | FileCheck %s

// Transforms and decompositions are printed as they were read.

// Cholesky factors, also of matrices of unknown size.
// CHECK-LABEL: func.func @cholesky
func.func @cholesky(%a: tensor<2x3x3xf32>, %b: tensor<?x?xcomplex<f64>>) {
  // CHECK: stablehlo.cholesky %{{.*}}, lower = true : tensor<2x3x3xf32>
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x3x3xf32>
  // CHECK: stablehlo.cholesky %{{.*}} : tensor<2x3x3xf32>
  %1 = stablehlo.cholesky %a : tensor<2x3x3xf32>
  // CHECK: stablehlo.cholesky %{{.*}}, lower = true : tensor<?x?xcomplex<f64>>
  %2 = stablehlo.cholesky %b, lower = true : tensor<?x?xcomplex<f64>>
  return
}

// The four transforms.
// CHECK-LABEL: func.func @fft
func.func @fft(%a: tensor<4x8xcomplex<f32>>, %r: tensor<4x8xf32>, %h: tensor<4x5xcomplex<f32>>) {
  // CHECK: stablehlo.fft %{{.*}}, type = FFT, length = [8] : (tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
  %0 = stablehlo.fft %a, type = FFT, length = [8] : (tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
  // CHECK: stablehlo.fft %{{.*}}, type = IFFT, length = [4, 8] : (tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
  %1 = stablehlo.fft %a, type = IFFT, length = [4, 8] : (tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>>
  // CHECK: stablehlo.fft %{{.*}}, type = RFFT, length = [8] : (tensor<4x8xf32>) -> tensor<4x5xcomplex<f32>>
  %2 = stablehlo.fft %r, type = RFFT, length = [8] : (tensor<4x8xf32>) -> tensor<4x5xcomplex<f32>>
  // CHECK: stablehlo.fft %{{.*}}, type = IRFFT, length = [8] : (tensor<4x5xcomplex<f32>>) -> tensor<4x8xf32>
  %3 = stablehlo.fft %h, type = IRFFT, length = [8] : (tensor<4x5xcomplex<f32>>) -> tensor<4x8xf32>
  return
}

// Triangular systems.
// CHECK-LABEL: func.func @triangular_solve
func.func @triangular_solve(%a: tensor<3x3xf32>, %b: tensor<3x5xf32>) {
  // CHECK: "stablehlo.triangular_solve"(%{{.*}}, %{{.*}}) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return
}
