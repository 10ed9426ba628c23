// RUN: drumlin plan %s --target-cpu avx512 | FileCheck %s
// RUN: drumlin check %s
// RUN: drumlin check %s --target-cpu avx2
// RUN: drumlin check %s --target-cpu baseline

// Distances of points, written as a dot and as a norm, are never stored: the reductions that read the distances compute them. The distance
// of a point to itself is a difference of nearly equal numbers. `check` takes its rounding error into account.

// CHECK-NOT: plan.launch {{.*}} -> {{.*}}tensor<300x400xf32>
// CHECK: kind(loop)
// CHECK-NOT: kind(gemm)
func.func @main(%x: tensor<300x16xf32>, %y: tensor<400x16xf32>) -> (tensor<300xf32>, tensor<400xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %inf = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %two = stablehlo.constant dense<2.0> : tensor<300x400xf32>
  %0 = stablehlo.multiply %x, %x : tensor<300x16xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<300x16xf32>, tensor<f32>) -> tensor<300xf32>
  %2 = stablehlo.multiply %y, %y : tensor<400x16xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<400x16xf32>, tensor<f32>) -> tensor<400xf32>
  %4 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<300xf32>) -> tensor<300x400xf32>
  %5 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<400xf32>) -> tensor<300x400xf32>
  %6 = stablehlo.add %4, %5 : tensor<300x400xf32>
  %7 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1] : (tensor<300x16xf32>, tensor<400x16xf32>) -> tensor<300x400xf32>
  %8 = stablehlo.multiply %two, %7 : tensor<300x400xf32>
  %9 = stablehlo.subtract %6, %8 : tensor<300x400xf32>
  %10 = stablehlo.reduce(%9 init: %inf) applies stablehlo.minimum across dimensions = [1] : (tensor<300x400xf32>, tensor<f32>) -> tensor<300xf32>
  %12 = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<300x16xf32>) -> tensor<300x400x16xf32>
  %13 = stablehlo.broadcast_in_dim %y, dims = [1, 2] : (tensor<400x16xf32>) -> tensor<300x400x16xf32>
  %14 = stablehlo.subtract %12, %13 : tensor<300x400x16xf32>
  %15 = stablehlo.multiply %14, %14 : tensor<300x400x16xf32>
  %16 = stablehlo.reduce(%15 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<300x400x16xf32>, tensor<f32>) -> tensor<300x400xf32>
  %17 = stablehlo.sqrt %16 : tensor<300x400xf32>
  %18 = stablehlo.reduce(%17 init: %inf) applies stablehlo.minimum across dimensions = [0] : (tensor<300x400xf32>, tensor<f32>) -> tensor<400xf32>
  return %10, %18 : tensor<300xf32>, tensor<400xf32>
}
