// RUN: drumlin-opt --select-schedules=target=avx512 %s | FileCheck %s
// RUN: drumlin-opt --select-schedules=target=amx %s | FileCheck %s --check-prefix=AMX
// RUN: drumlin-opt --select-schedules=target=baseline %s | FileCheck %s --check-prefix=BASELINE

// Each GEMM's schedule depends on its shape, its types and the target.

// Operands are packed into tiles. Registers of 4 elements give smaller micro-kernels than registers of 16 elements.
// CHECK-LABEL: func.func @packed
// CHECK: attributes {plan.schedule = #plan.gemm<packed, unit = fma, tile = [256, 128, 256], item = [64, 128], kernel = [13, 32], rows_along_k>, plan.sum_units = array<f64: 2.591250e+02>}
// BASELINE-LABEL: func.func @packed
// BASELINE: #plan.gemm<packed, unit = fma, tile = [256, 128, 512], item = [64, 128], kernel = [6, 8], rows_along_k>
func.func @packed(%x: tensor<512x512xf32>, %y: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = plan.gemm(%a = %x : tensor<512x512xf32>, %b = %y : tensor<512x512xf32>) -> (tensor<512x512xf32>) {
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    plan.yield %1 : tensor<512x512xf32>
  }
  return %0 : tensor<512x512xf32>
}

// Transposing an operand changes the axis along which it is packed. Transposing both operands changes which of them provides the rows.
// CHECK-LABEL: func.func @transposed
// CHECK: #plan.gemm<packed, unit = fma, tile = [256, 128, 256], item = [64, 128], kernel = [13, 32], swapped, rows_along_k>
func.func @transposed(%x: tensor<512x512xf32>, %y: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = plan.gemm(%a = %x : tensor<512x512xf32>, %b = %y : tensor<512x512xf32>) -> (tensor<512x512xf32>) {
    %1 = stablehlo.transpose %a, dims = [1, 0] : (tensor<512x512xf32>) -> tensor<512x512xf32>
    %2 = stablehlo.transpose %b, dims = [1, 0] : (tensor<512x512xf32>) -> tensor<512x512xf32>
    %3 = stablehlo.dot_general %1, %2, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
    plan.yield %3 : tensor<512x512xf32>
  }
  return %0 : tensor<512x512xf32>
}

// Pairs of bf16 elements are multiplied if the target can do so.
// CHECK-LABEL: func.func @pairs
// CHECK: #plan.gemm<packed, unit = bf16_pairs,
// AMX-LABEL: func.func @pairs
// AMX: #plan.gemm<packed, unit = bf16_tiles, tile = [64, 64, 256], kernel = [32, 32],
// BASELINE-LABEL: func.func @pairs
// BASELINE: #plan.gemm<packed, unit = fma,
func.func @pairs(%x: tensor<64x256xbf16>, %y: tensor<256x64xbf16>) -> tensor<64x64xbf16> {
  %0 = plan.gemm(%a = %x : tensor<64x256xbf16>, %b = %y : tensor<256x64xbf16>) -> (tensor<64x64xbf16>) {
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x256xbf16>, tensor<256x64xbf16>) -> tensor<64x64xbf16>
    plan.yield %1 : tensor<64x64xbf16>
  }
  return %0 : tensor<64x64xbf16>
}

// With one row, the large operand is read once, in its memory order.
// CHECK-LABEL: func.func @one_row
// CHECK: #plan.gemm<gemv, unit = fma, tile = [1, 512, 0], side_by_side = 8, prefetch_columns = 8>
// CHECK-LABEL: func.func @one_row_of_a_checkpoint
// CHECK: #plan.gemm<gemv, unit = fma, tile = [1, 256, 0], side_by_side = 8, prefetch_columns = 512, columns_along_k>
func.func @one_row(%x: tensor<1x4096xf32>, %y: tensor<4096x4096xf32>) -> tensor<1x4096xf32> {
  %0 = plan.gemm(%a = %x : tensor<1x4096xf32>, %b = %y : tensor<4096x4096xf32>) -> (tensor<1x4096xf32>) {
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x4096xf32>, tensor<4096x4096xf32>) -> tensor<1x4096xf32>
    plan.yield %1 : tensor<1x4096xf32>
  }
  return %0 : tensor<1x4096xf32>
}
func.func @one_row_of_a_checkpoint(%x: tensor<1x4096xf32>, %y: tensor<4096x4096xf32>) -> tensor<1x4096xf32> {
  %0 = plan.gemm(%a = %x : tensor<1x4096xf32>, %b = %y : tensor<4096x4096xf32>) -> (tensor<1x4096xf32>) {
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<1x4096xf32>, tensor<4096x4096xf32>) -> tensor<1x4096xf32>
    plan.yield %1 : tensor<1x4096xf32>
  }
  return %0 : tensor<1x4096xf32>
}

// A convolution whose windows are contiguous runs of the input's rows, and a convolution with one filter per channel.
// CHECK-LABEL: func.func @direct
// CHECK: #plan.gemm<direct, unit = fma,
// CHECK-LABEL: func.func @depthwise
// CHECK: #plan.gemm<batch_interleaved, unit = fma,
func.func @direct(%x: tensor<2x32x32x16xf32>, %w: tensor<3x3x16x32xf32>) -> tensor<2x32x32x32xf32> {
  %0 = plan.gemm(%a = %x : tensor<2x32x32x16xf32>, %b = %w : tensor<3x3x16x32xf32>) -> (tensor<2x32x32x32xf32>) {
    %1 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x32x32x16xf32>, tensor<3x3x16x32xf32>) -> tensor<2x32x32x32xf32>
    plan.yield %1 : tensor<2x32x32x32xf32>
  }
  return %0 : tensor<2x32x32x32xf32>
}
func.func @depthwise(%x: tensor<2x32x32x64xf32>, %w: tensor<3x3x1x64xf32>) -> tensor<2x32x32x64xf32> {
  %0 = plan.gemm(%a = %x : tensor<2x32x32x64xf32>, %b = %w : tensor<3x3x1x64xf32>) -> (tensor<2x32x32x64xf32>) {
    %1 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 64 : i64} : (tensor<2x32x32x64xf32>, tensor<3x3x1x64xf32>) -> tensor<2x32x32x64xf32>
    plan.yield %1 : tensor<2x32x32x64xf32>
  }
  return %0 : tensor<2x32x32x64xf32>
}

// The gradient of a convolution's kernel, with features last. The unfolded input is packed. The other operand's features are contiguous, so
// it is read in place.
// CHECK-LABEL: func.func @gradient_of_a_kernel
// CHECK: #plan.gemm<packed, unit = fma, tile = [240, 16, 512], item = [64, 16], kernel = [12, 16], prefetch_rows = 4, columns_in_place>
func.func @gradient_of_a_kernel(%x: tensor<1x16000x128xf32>, %g: tensor<1x16000x16xf32>) -> tensor<15x128x16xf32> {
  %0 = plan.gemm(%a = %x : tensor<1x16000x128xf32>, %b = %g : tensor<1x16000x16xf32>) -> (tensor<15x128x16xf32>) {
    %1 = stablehlo.convolution(%a, %b) dim_numbers = [f, 0, b]x[i, 0, o]->[0, b, f], window = {pad = [[7, 7]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x16000x128xf32>, tensor<1x16000x16xf32>) -> tensor<15x128x16xf32>
    plan.yield %1 : tensor<15x128x16xf32>
  }
  return %0 : tensor<15x128x16xf32>
}

// With few output features, unfolding the input would take longer than multiplying. The convolution's kernel is packed along its input
// features if these are contiguous.
// CHECK-LABEL: func.func @few_features
// CHECK: #plan.gemm<direct, unit = fma, tile = [224, 12, 0], kernel = [14, 16], columns_along_k>
func.func @few_features(%x: tensor<2x56x56x64xf32>, %w: tensor<4x4x12x64xf32>) -> tensor<2x56x56x12xf32> {
  %0 = plan.gemm(%a = %x : tensor<2x56x56x64xf32>, %b = %w : tensor<4x4x12x64xf32>) -> (tensor<2x56x56x12xf32>) {
    %1 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {pad = [[2, 1], [2, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x56x56x64xf32>, tensor<4x4x12x64xf32>) -> tensor<2x56x56x12xf32>
    plan.yield %1 : tensor<2x56x56x12xf32>
  }
  return %0 : tensor<2x56x56x12xf32>
}

// A row of outputs is one tile of a direct kernel. If a row has too many accumulators for L2, its input is unfolded and packed.
// CHECK-LABEL: func.func @long_row
// CHECK: #plan.gemm<direct, unit = fma, tile = [320, 256, 0],
// CHECK: #plan.gemm<packed, unit = fma, tile = [256, 256, 16],
func.func @long_row(%x: tensor<1x1600x1xf32>, %y: tensor<1x16000x1xf32>, %w: tensor<10x1x256xf32>) -> (tensor<1x320x256xf32>, tensor<1x3200x256xf32>) {
  %0 = plan.gemm(%a = %x : tensor<1x1600x1xf32>, %b = %w : tensor<10x1x256xf32>) -> (tensor<1x320x256xf32>) {
    %2 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [5], pad = [[2, 3]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1600x1xf32>, tensor<10x1x256xf32>) -> tensor<1x320x256xf32>
    plan.yield %2 : tensor<1x320x256xf32>
  }
  %1 = plan.gemm(%a = %y : tensor<1x16000x1xf32>, %b = %w : tensor<10x1x256xf32>) -> (tensor<1x3200x256xf32>) {
    %2 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [5], pad = [[2, 3]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x16000x1xf32>, tensor<10x1x256xf32>) -> tensor<1x3200x256xf32>
    plan.yield %2 : tensor<1x3200x256xf32>
  }
  return %0, %1 : tensor<1x320x256xf32>, tensor<1x3200x256xf32>
}

// Lines whose length is a power of two are transformed along the lines, short lines side by side, and lines of prime length as a
// convolution.
// CHECK-LABEL: func.func @transforms
// CHECK: #plan.fft<along, factors = [8, 8, 4], tile = 32>
// CHECK: #plan.fft<across, factors = [5, 3], tile = 34>
// CHECK: #plan.fft<along, factors = [8, 8, 8, 4], tile = 4, padded = 2048>
func.func @transforms(%x: tensor<1024x512xf32>, %y: tensor<64x15xf32>, %z: tensor<1009xf32>) -> (tensor<1024x257xcomplex<f32>>, tensor<64x8xcomplex<f32>>, tensor<505xcomplex<f32>>) {
  %0 = plan.fft(%a = %x : tensor<1024x512xf32>) -> (tensor<1024x257xcomplex<f32>>) {
    %1 = stablehlo.fft %a, type = RFFT, length = [512] : (tensor<1024x512xf32>) -> tensor<1024x257xcomplex<f32>>
    plan.yield %1 : tensor<1024x257xcomplex<f32>>
  }
  %2 = plan.fft(%a = %y : tensor<64x15xf32>) -> (tensor<64x8xcomplex<f32>>) {
    %3 = stablehlo.fft %a, type = RFFT, length = [15] : (tensor<64x15xf32>) -> tensor<64x8xcomplex<f32>>
    plan.yield %3 : tensor<64x8xcomplex<f32>>
  }
  %4 = plan.fft(%a = %z : tensor<1009xf32>) -> (tensor<505xcomplex<f32>>) {
    %5 = stablehlo.fft %a, type = RFFT, length = [1009] : (tensor<1009xf32>) -> tensor<505xcomplex<f32>>
    plan.yield %5 : tensor<505xcomplex<f32>>
  }
  return %0, %2, %4 : tensor<1024x257xcomplex<f32>>, tensor<64x8xcomplex<f32>>, tensor<505xcomplex<f32>>
}

// A kernel that the user forced is chosen, and a schedule that is already present is kept.
// CHECK-LABEL: func.func @named
// CHECK: plan.schedule = #plan.gemm<gemv,
// CHECK-LABEL: func.func @chosen_before
// CHECK: plan.schedule = #plan.gemm<packed, unit = fma, tile = [32, 64, 16], kernel = [2, 16]>
func.func @named(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = plan.gemm(%a = %x : tensor<64x64xf32>) -> (tensor<64x64xf32>) attributes {plan.force_kernel = "gemv"} {
    %1 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    plan.yield %1 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}
func.func @chosen_before(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = plan.gemm(%a = %x : tensor<64x64xf32>) -> (tensor<64x64xf32>) attributes {plan.schedule = #plan.gemm<packed, unit = fma, kernel = [2, 16], tile = [32, 64, 16]>} {
    %1 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    plan.yield %1 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}
