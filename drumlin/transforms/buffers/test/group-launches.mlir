// RUN: drumlin-opt --group-launches=target=avx2 %s | FileCheck %s

// Launches that don't use each other's results or memory run side by side.

plan.kernel @tanh kind(loop) key("t") (%a: tensor<65536xf32>) attributes {plan.schedule = #plan.loop<[flat, tile = 16384]>} {
  %0 = stablehlo.tanh %a : tensor<65536xf32>
  plan.yield %0 : tensor<65536xf32>
}
plan.kernel @small kind(loop) key("s") (%a: tensor<4xf32>) attributes {plan.schedule = #plan.loop<[flat, tile = 16384]>} {
  %0 = stablehlo.negate %a : tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
}

// The third launch moves up to the first one, over one that reads the first one's result.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = plan.launch @tanh(%arg0) {buffers
// CHECK-NEXT: %[[C:.*]] = plan.launch @tanh(%arg1) {beside, buffers
// CHECK-NEXT: %[[B:.*]] = plan.launch @tanh(%[[A]]) {buffers
// CHECK-NEXT: plan.launch @tanh(%[[C]]) {beside, buffers
// Its result shares memory with the value that the launch before reads.
// CHECK-NEXT: plan.launch @tanh(%arg1) {buffers
// CHECK-NEXT: plan.launch @small(%arg2) {buffers
func.func @main(%x: tensor<65536xf32>, %y: tensor<65536xf32>, %z: tensor<4xf32>) -> (tensor<65536xf32>, tensor<65536xf32>, tensor<4xf32>, tensor<65536xf32>) attributes {plan.arena_bytes = 524288 : i64} {
  %0 = plan.launch @tanh(%x) {buffers = [#plan.buffer<arena, 0, 0, 262144>]} : (tensor<65536xf32>) -> tensor<65536xf32>
  %1 = plan.launch @tanh(%0) {buffers = [#plan.buffer<result, 0, 0, 262144>]} : (tensor<65536xf32>) -> tensor<65536xf32>
  %2 = plan.launch @tanh(%y) {buffers = [#plan.buffer<arena, 0, 262144, 262144>]} : (tensor<65536xf32>) -> tensor<65536xf32>
  %3 = plan.launch @tanh(%2) {buffers = [#plan.buffer<result, 1, 0, 262144>]} : (tensor<65536xf32>) -> tensor<65536xf32>
  %4 = plan.launch @tanh(%y) {buffers = [#plan.buffer<arena, 0, 131072, 262144>]} : (tensor<65536xf32>) -> tensor<65536xf32>
  %5 = plan.launch @small(%z) {buffers = [#plan.buffer<result, 2, 0, 16>]} : (tensor<4xf32>) -> tensor<4xf32>
  %6 = plan.launch @tanh(%4) {buffers = [#plan.buffer<result, 3, 0, 262144>]} : (tensor<65536xf32>) -> tensor<65536xf32>
  return %1, %3, %5, %6 : tensor<65536xf32>, tensor<65536xf32>, tensor<4xf32>, tensor<65536xf32>
}
