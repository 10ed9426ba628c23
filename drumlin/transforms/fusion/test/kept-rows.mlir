// RUN: drumlin-opt --loop-fusion %s | FileCheck %s

// A value that is needed by reductions along its rows, and also by the results, joins the kernel of both. The kernel keeps one row of the
// value. Here the value is the exponentials of a softmax.
// CHECK-LABEL: func.func @softmax
// CHECK: plan.loop
// CHECK-NOT: plan.loop
// CHECK: return
func.func @softmax(%x: tensor<64x512xf32>, %low: tensor<f32>, %zero: tensor<f32>) -> tensor<64x512xf32> {
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<64x512xf32>, tensor<f32>) -> tensor<64xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<64xf32>) -> tensor<64x512xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<64x512xf32>
  %3 = stablehlo.exponential %2 : tensor<64x512xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x512xf32>, tensor<f32>) -> tensor<64xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<64xf32>) -> tensor<64x512xf32>
  %6 = stablehlo.divide %3, %5 : tensor<64x512xf32>
  return %6 : tensor<64x512xf32>
}

// The value doesn't join the kernel if its rows are too long for a cache.
// CHECK-LABEL: func.func @long_rows
// CHECK: plan.loop
// CHECK: plan.loop
// CHECK: return
func.func @long_rows(%x: tensor<4x65537xf32>, %zero: tensor<f32>) -> tensor<4x65537xf32> {
  %0 = stablehlo.exponential %x : tensor<4x65537xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x65537xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<4xf32>) -> tensor<4x65537xf32>
  %3 = stablehlo.divide %0, %2 : tensor<4x65537xf32>
  return %3 : tensor<4x65537xf32>
}

// The value doesn't join if its rows are so short that a separate loop over each row takes longer than a copy in memory.
// CHECK-LABEL: func.func @short_rows
// CHECK: plan.loop
// CHECK: plan.loop
// CHECK: return
func.func @short_rows(%x: tensor<4096x32xf32>, %zero: tensor<f32>) -> tensor<4096x32xf32> {
  %0 = stablehlo.exponential %x : tensor<4096x32xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4096x32xf32>, tensor<f32>) -> tensor<4096xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<4096xf32>) -> tensor<4096x32xf32>
  %3 = stablehlo.divide %0, %2 : tensor<4096x32xf32>
  return %3 : tensor<4096x32xf32>
}

// The value doesn't join if the results also need elements of other rows.
// CHECK-LABEL: func.func @needed_elsewhere
// CHECK: plan.loop
// CHECK: plan.loop
// CHECK: return
func.func @needed_elsewhere(%x: tensor<64x512xf32>, %zero: tensor<f32>) -> tensor<64x512xf32> {
  %0 = stablehlo.exponential %x : tensor<64x512xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x512xf32>, tensor<f32>) -> tensor<64xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<64xf32>) -> tensor<64x512xf32>
  %3 = stablehlo.reverse %0, dims = [0] : tensor<64x512xf32>
  %4 = stablehlo.divide %3, %2 : tensor<64x512xf32>
  return %4 : tensor<64x512xf32>
}

// The value doesn't join if a result needs the reduction of a row other than its own.
// CHECK-LABEL: func.func @another_row
// CHECK: plan.loop
// CHECK: plan.loop
// CHECK: return
func.func @another_row(%x: tensor<512x512xf32>, %zero: tensor<f32>) -> tensor<512x512xf32> {
  %0 = stablehlo.exponential %x : tensor<512x512xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<512x512xf32>, tensor<f32>) -> tensor<512xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<512xf32>) -> tensor<512x512xf32>
  %3 = stablehlo.divide %0, %2 : tensor<512x512xf32>
  return %3 : tensor<512x512xf32>
}
