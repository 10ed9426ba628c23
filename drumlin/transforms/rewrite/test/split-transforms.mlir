// RUN: drumlin-opt --split-transforms %s | FileCheck %s

// Fourier transforms of several dimensions become transforms of lines. Long lines become transforms of rows and columns.

// A single dimension that fits is not changed.
// CHECK-LABEL: func.func @line
// CHECK-NEXT: stablehlo.fft
// CHECK-NEXT: return
func.func @line(%x: tensor<4x1024xcomplex<f32>>) -> tensor<4x1024xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [1024] : (tensor<4x1024xcomplex<f32>>) -> tensor<4x1024xcomplex<f32>>
  return %0 : tensor<4x1024xcomplex<f32>>
}

// CHECK-LABEL: func.func @plane
// CHECK-SAME: %[[X:.*]]: tensor<6x8xf32>, %[[Y:.*]]: tensor<6x8xf32>
// CHECK-NEXT: %[[C:.*]] = stablehlo.complex %[[X]], %[[Y]]
// CHECK-NEXT: %[[F:.*]] = stablehlo.fft %[[C]], type = FFT, length = [8] : {{.*}} -> tensor<6x8xcomplex<f32>>
// CHECK-NEXT: %[[R:.*]] = stablehlo.real %[[F]]
// CHECK-NEXT: %[[I:.*]] = stablehlo.imag %[[F]]
// CHECK-NEXT: %[[TR:.*]] = stablehlo.transpose %[[R]], dims = [1, 0]
// CHECK-NEXT: %[[TI:.*]] = stablehlo.transpose %[[I]], dims = [1, 0]
// CHECK-NEXT: %[[D:.*]] = stablehlo.complex %[[TR]], %[[TI]]
// CHECK-NEXT: %[[G:.*]] = stablehlo.fft %[[D]], type = FFT, length = [6] : {{.*}} -> tensor<8x6xcomplex<f32>>
// CHECK-NEXT: %[[R2:.*]] = stablehlo.real %[[G]]
// CHECK-NEXT: stablehlo.imag %[[G]]
// CHECK-NEXT: %[[BACK:.*]] = stablehlo.transpose %[[R2]], dims = [1, 0]
// CHECK: return %[[BACK]]
func.func @plane(%x: tensor<6x8xf32>, %y: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %0 = stablehlo.complex %x, %y : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xcomplex<f32>>
  %1 = stablehlo.fft %0, type = FFT, length = [6, 8] : (tensor<6x8xcomplex<f32>>) -> tensor<6x8xcomplex<f32>>
  %2 = stablehlo.real %1 : (tensor<6x8xcomplex<f32>>) -> tensor<6x8xf32>
  return %2 : tensor<6x8xf32>
}

// An inverse transform to real numbers transforms the last dimension at the end. Along this dimension, the operand has about half the
// length of the result.
// CHECK-LABEL: func.func @to_real
// CHECK: stablehlo.fft {{.*}}, type = IFFT, length = [6] : {{.*}} -> tensor<5x6xcomplex<f32>>
// CHECK: stablehlo.fft {{.*}}, type = IRFFT, length = [8] : (tensor<6x5xcomplex<f32>>) -> tensor<6x8xf32>
func.func @to_real(%x: tensor<6x5xcomplex<f32>>) -> tensor<6x8xf32> {
  %0 = stablehlo.fft %x, type = IRFFT, length = [6, 8] : (tensor<6x5xcomplex<f32>>) -> tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}

// A long line is treated as a matrix: its columns are transformed and multiplied by roots of unity, and then its rows are transformed.
// CHECK-LABEL: func.func @matrix
// CHECK: stablehlo.reshape {{.*}} -> tensor<256x256xf32>
// CHECK: stablehlo.fft {{.*}}, length = [256]
// CHECK: stablehlo.multiply
// CHECK: stablehlo.fft {{.*}}, length = [256]
// CHECK-NOT: stablehlo.fft
// CHECK: return
func.func @matrix(%x: tensor<65536xcomplex<f32>>) -> tensor<65536xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [65536] : (tensor<65536xcomplex<f32>>) -> tensor<65536xcomplex<f32>>
  return %0 : tensor<65536xcomplex<f32>>
}

// A transform of real numbers becomes a transform of half as many complex numbers.
// CHECK-LABEL: func.func @real_matrix
// CHECK: stablehlo.fft {{.*}}, type = FFT, length = [256]
// CHECK: stablehlo.fft {{.*}}, type = FFT, length = [256]
// CHECK-NOT: stablehlo.fft
// CHECK: stablehlo.reverse
// CHECK: stablehlo.complex {{.*}} : tensor<65537xcomplex<f32>>
func.func @real_matrix(%x: tensor<131072xf32>) -> tensor<65537xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = RFFT, length = [131072] : (tensor<131072xf32>) -> tensor<65537xcomplex<f32>>
  return %0 : tensor<65537xcomplex<f32>>
}

// A line whose length is a large prime becomes a convolution whose length is a power of two.
// CHECK-LABEL: func.func @prime
// CHECK: stablehlo.pad {{.*}} -> tensor<262144xf32>
// CHECK: stablehlo.fft {{.*}}, type = FFT, length = [512]
// CHECK: stablehlo.fft {{.*}}, type = FFT, length = [512]
// CHECK: stablehlo.fft {{.*}}, type = IFFT, length = [512]
// CHECK: stablehlo.fft {{.*}}, type = IFFT, length = [512]
// CHECK: stablehlo.slice {{.*}} -> tensor<65537xf32>
func.func @prime(%x: tensor<65537xcomplex<f32>>) -> tensor<65537xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [65537] : (tensor<65537xcomplex<f32>>) -> tensor<65537xcomplex<f32>>
  return %0 : tensor<65537xcomplex<f32>>
}
