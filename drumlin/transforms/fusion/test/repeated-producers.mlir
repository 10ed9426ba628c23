// RUN: drumlin-opt --loop-fusion %s | FileCheck %s

// A sum over rows and a result of another shape stay in two kernels. Both kernels compute a cheap operation on one value, and read that
// value.
// CHECK-LABEL: func.func @cheap
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<640x512xf32>
// CHECK: plan.loop({{.*}} = %[[X]] : tensor<640x512xf32>
// CHECK: stablehlo.subtract
// CHECK: plan.loop({{.*}} = %[[X]] : tensor<640x512xf32>
// CHECK: stablehlo.subtract
// CHECK-NOT: plan.loop
// CHECK: return
func.func @cheap(%x: tensor<640x512xf32>, %mean: tensor<512xf32>, %zero: tensor<f32>) -> tensor<640x512xf32> {
  %0 = stablehlo.broadcast_in_dim %mean, dims = [1] : (tensor<512xf32>) -> tensor<640x512xf32>
  %1 = stablehlo.subtract %x, %0 : tensor<640x512xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<640x512xf32>, tensor<f32>) -> tensor<512xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<512xf32>) -> tensor<640x512xf32>
  %4 = stablehlo.multiply %1, %3 : tensor<640x512xf32>
  return %4 : tensor<640x512xf32>
}

// An expensive operation is not repeated in both kernels.
// CHECK-LABEL: func.func @expensive
// CHECK-COUNT-1: stablehlo.exponential
// CHECK-NOT: stablehlo.exponential
// CHECK: return
func.func @expensive(%x: tensor<640x512xf32>, %zero: tensor<f32>) -> tensor<640x512xf32> {
  %0 = stablehlo.exponential %x : tensor<640x512xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<640x512xf32>, tensor<f32>) -> tensor<512xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<512xf32>) -> tensor<640x512xf32>
  %3 = stablehlo.multiply %0, %2 : tensor<640x512xf32>
  return %3 : tensor<640x512xf32>
}

// An operation that reads more elements than its result has is not repeated.
// CHECK-LABEL: func.func @of_two_values
// CHECK-COUNT-1: stablehlo.subtract
// CHECK-NOT: stablehlo.subtract
// CHECK: return
func.func @of_two_values(%x: tensor<640x512xf32>, %y: tensor<640x512xf32>, %zero: tensor<f32>) -> tensor<640x512xf32> {
  %0 = stablehlo.subtract %x, %y : tensor<640x512xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<640x512xf32>, tensor<f32>) -> tensor<512xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<512xf32>) -> tensor<640x512xf32>
  %3 = stablehlo.multiply %0, %2 : tensor<640x512xf32>
  return %3 : tensor<640x512xf32>
}

// CHECK-LABEL: func.func @of_wider_elements
// CHECK-COUNT-1: stablehlo.convert
// CHECK-NOT: stablehlo.convert
// CHECK: return
func.func @of_wider_elements(%x: tensor<640x512xf32>, %zero: tensor<bf16>) -> tensor<640x512xbf16> {
  %0 = stablehlo.convert %x : (tensor<640x512xf32>) -> tensor<640x512xbf16>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<640x512xbf16>, tensor<bf16>) -> tensor<512xbf16>
  %2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<512xbf16>) -> tensor<640x512xbf16>
  %3 = stablehlo.multiply %0, %2 : tensor<640x512xbf16>
  return %3 : tensor<640x512xbf16>
}

// An operation whose result is stored anyway is not repeated.
// CHECK-LABEL: func.func @returned
// CHECK-COUNT-1: stablehlo.negate
// CHECK-NOT: stablehlo.negate
// CHECK: return
func.func @returned(%x: tensor<640x512xf32>, %zero: tensor<f32>) -> (tensor<640x512xf32>, tensor<512xf32>, tensor<640xf32>) {
  %0 = stablehlo.negate %x : tensor<640x512xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<640x512xf32>, tensor<f32>) -> tensor<512xf32>
  %2 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<640x512xf32>, tensor<f32>) -> tensor<640xf32>
  return %0, %1, %2 : tensor<640x512xf32>, tensor<512xf32>, tensor<640xf32>
}

// A chain of more than a few operations is not repeated.
// CHECK-LABEL: func.func @chain
// CHECK: plan.loop
// CHECK: plan.loop
// CHECK: plan.loop
// CHECK-NOT: plan.loop
// CHECK: return
func.func @chain(%x: tensor<640x512xf32>, %zero: tensor<f32>) -> (tensor<512xf32>, tensor<640xf32>) {
  %0 = stablehlo.negate %x : tensor<640x512xf32>
  %1 = stablehlo.abs %0 : tensor<640x512xf32>
  %2 = stablehlo.negate %1 : tensor<640x512xf32>
  %3 = stablehlo.floor %2 : tensor<640x512xf32>
  %4 = stablehlo.negate %3 : tensor<640x512xf32>
  %5 = stablehlo.ceil %4 : tensor<640x512xf32>
  %6 = stablehlo.negate %5 : tensor<640x512xf32>
  %7 = stablehlo.abs %6 : tensor<640x512xf32>
  %8 = stablehlo.negate %7 : tensor<640x512xf32>
  %9 = stablehlo.floor %8 : tensor<640x512xf32>
  %10 = stablehlo.negate %9 : tensor<640x512xf32>
  %11 = stablehlo.ceil %10 : tensor<640x512xf32>
  %12 = stablehlo.negate %11 : tensor<640x512xf32>
  %13 = stablehlo.abs %12 : tensor<640x512xf32>
  %14 = stablehlo.negate %13 : tensor<640x512xf32>
  %15 = stablehlo.floor %14 : tensor<640x512xf32>
  %16 = stablehlo.negate %15 : tensor<640x512xf32>
  %17 = stablehlo.ceil %16 : tensor<640x512xf32>
  %18 = stablehlo.reduce(%17 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<640x512xf32>, tensor<f32>) -> tensor<512xf32>
  %19 = stablehlo.reduce(%17 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<640x512xf32>, tensor<f32>) -> tensor<640xf32>
  return %18, %19 : tensor<512xf32>, tensor<640xf32>
}
