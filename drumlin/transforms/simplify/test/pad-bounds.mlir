// RUN: drumlin-opt --resolve-sizes --split-input-file --verify-diagnostics %s | FileCheck %s

// A value that grows in a loop is carried as an array of the bound's size and a separate size. A reduction ignores invalid elements. The
// size of the result is an additional result.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: -> (tensor<8xf32> {sizes.bounded = array<i64: 0>}, tensor<f32>, tensor<i32>)
// CHECK: %[[BUFFER:.*]] = stablehlo.pad %arg1
// CHECK: %[[W:.*]]:2 = stablehlo.while(%[[V:.*]] = %[[BUFFER]], %[[S:.*]] = %{{.*}}) : tensor<8xf32>, tensor<i32>
// CHECK: stablehlo.compare LT, %[[S]], %arg0
// CHECK: %[[NEUTRAL:.*]] = stablehlo.constant dense<-0.000000e+00> : tensor<f32>
// CHECK: stablehlo.select %{{.*}}, %[[V]],
// CHECK: stablehlo.reduce
// CHECK: %[[AT:.*]] = stablehlo.add %{{.*}}, %[[S]] : tensor<i32>
// CHECK: stablehlo.dynamic_update_slice %{{.*}}, %{{.*}}, %[[AT]]
// CHECK: %[[END:.*]] = stablehlo.add %[[AT]], %{{.*}} : tensor<i32>
// CHECK: stablehlo.return %{{.*}}, %[[END]] : tensor<8xf32>, tensor<i32>
// CHECK: return %[[W]]#0, %{{.*}}, %[[W]]#1 : tensor<8xf32>, tensor<f32>, tensor<i32>
func.func @main(%n: tensor<i32>, %x: tensor<?xf32, #stablehlo.bounds<8>>) -> (tensor<?xf32, #stablehlo.bounds<8>>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.while(%v = %x) : tensor<?xf32, #stablehlo.bounds<8>>
  cond {
    %size = stablehlo.get_dimension_size %v, dim = 0 : (tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<i32>
    %go = stablehlo.compare LT, %size, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %s = stablehlo.reduce(%v init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<f32>) -> tensor<f32>
    %e = stablehlo.reshape %s : (tensor<f32>) -> tensor<1xf32>
    %w = stablehlo.concatenate %v, %e, dim = 0 : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<1xf32>) -> tensor<?xf32, #stablehlo.bounds<8>>
    stablehlo.return %w : tensor<?xf32, #stablehlo.bounds<8>>
  }
  %m = stablehlo.reduce(%r init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<f32>) -> tensor<f32>
  return %r, %m : tensor<?xf32, #stablehlo.bounds<8>>, tensor<f32>
}

// -----

// A size that depends only on an argument's size stays an expression.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: -> tensor<8xf32, #sizes.of<"arg0_0">>
// CHECK-NEXT: stablehlo.add %arg0, %arg0 : tensor<8xf32, #sizes.of<"arg0_0">>
func.func @main(%x: tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<?xf32, #stablehlo.bounds<8>> {
  %0 = stablehlo.add %x, %x : tensor<?xf32, #stablehlo.bounds<8>>
  return %0 : tensor<?xf32, #stablehlo.bounds<8>>
}

// -----

// A Fourier transform doesn't support values of bounded size.
// expected-error @+1 {{`stablehlo.fft` of values whose sizes are known only at run time isn't supported}}
func.func @main(%n: tensor<i32>, %x: tensor<8x4xcomplex<f32>>) -> tensor<?x4xcomplex<f32>, #stablehlo.bounds<8, ?>> {
  %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<8x4xcomplex<f32>>, tensor<i32>) -> tensor<?x4xcomplex<f32>, #stablehlo.bounds<8, ?>>
  %1 = stablehlo.fft %0, type = FFT, length = [4] : (tensor<?x4xcomplex<f32>, #stablehlo.bounds<8, ?>>) -> tensor<?x4xcomplex<f32>, #stablehlo.bounds<8, ?>>
  return %1 : tensor<?x4xcomplex<f32>, #stablehlo.bounds<8, ?>>
}
