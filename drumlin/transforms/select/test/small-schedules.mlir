// RUN: drumlin-opt --split-input-file --select-schedules=target=avx512 %s | FileCheck %s

// A GEMM of one row gets a separate schedule if the program accepts one row.
// CHECK-LABEL: func.func public @main
// CHECK: plan.gemm
// CHECK: plan.schedule = #plan.gemm<packed
// CHECK-SAME: plan.small_schedule = #plan.gemm<gemv
// CHECK-SAME: plan.small_size = #sizes.of<"b, 1">
func.func public @main(%x: tensor<97x512xf32, #sizes.of<"b, 512">>, %w: tensor<512x512xf32>) -> tensor<97x512xf32, #sizes.of<"b, 512">>
    attributes {sizes.symbols = [#sizes.symbol<"b", nominal = 97, from = 1, to = 1024>]} {
  %0 = plan.gemm(%a = %x : tensor<97x512xf32, #sizes.of<"b, 512">>, %c = %w : tensor<512x512xf32>) -> (tensor<97x512xf32, #sizes.of<"b, 512">>) {
    %1 = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0] : (tensor<97x512xf32, #sizes.of<"b, 512">>, tensor<512x512xf32>) -> tensor<97x512xf32, #sizes.of<"b, 512">>
    plan.yield %1 : tensor<97x512xf32, #sizes.of<"b, 512">>
  }
  return %0 : tensor<97x512xf32, #sizes.of<"b, 512">>
}

// -----

// CHECK-LABEL: func.func public @main
// CHECK-NOT: small_schedule
func.func public @main(%x: tensor<97x512xf32, #sizes.of<"b, 512">>, %w: tensor<512x512xf32>) -> tensor<97x512xf32, #sizes.of<"b, 512">>
    attributes {sizes.symbols = [#sizes.symbol<"b", nominal = 97, from = 2, to = 1024>]} {
  %0 = plan.gemm(%a = %x : tensor<97x512xf32, #sizes.of<"b, 512">>, %c = %w : tensor<512x512xf32>) -> (tensor<97x512xf32, #sizes.of<"b, 512">>) {
    %1 = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0] : (tensor<97x512xf32, #sizes.of<"b, 512">>, tensor<512x512xf32>) -> tensor<97x512xf32, #sizes.of<"b, 512">>
    plan.yield %1 : tensor<97x512xf32, #sizes.of<"b, 512">>
  }
  return %0 : tensor<97x512xf32, #sizes.of<"b, 512">>
}

// -----

// Code that combines partial results supports only one schedule, so there is no separate schedule.
// CHECK-LABEL: func.func public @main
// CHECK-NOT: small_schedule
func.func public @main(%x: tensor<97x512xf32, #sizes.of<"b, 512">>, %w: tensor<512x512xf32>) -> tensor<f32>
    attributes {sizes.symbols = [#sizes.symbol<"b", nominal = 97, from = 1, to = 1024>]} {
  %0 = plan.gemm(%a = %x : tensor<97x512xf32, #sizes.of<"b, 512">>, %c = %w : tensor<512x512xf32>) -> (tensor<f32>) {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0] : (tensor<97x512xf32, #sizes.of<"b, 512">>, tensor<512x512xf32>) -> tensor<97x512xf32, #sizes.of<"b, 512">>
    %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<97x512xf32, #sizes.of<"b, 512">>, tensor<f32>) -> tensor<f32>
    plan.yield %2 : tensor<f32>
  }
  return %0 : tensor<f32>
}
