// RUN: drumlin-opt --fold-constants --cse %s | FileCheck %s

// Operations on constants are evaluated, within a budget.

// A chain of operations on constants becomes one constant.
// CHECK-LABEL: func.func @chain
func.func @chain() -> tensor<3xi32> {
  // CHECK-NEXT: %[[C:.*]] = stablehlo.constant dense<[-2, -4, -6]> : tensor<3xi32>
  // CHECK-NEXT: return %[[C]]
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %1 = stablehlo.add %0, %0 : tensor<3xi32>
  %2 = stablehlo.negate %1 : tensor<3xi32>
  return %2 : tensor<3xi32>
}

// A reduction of a constant.
// CHECK-LABEL: func.func @reduction
func.func @reduction() -> tensor<i32> {
  // CHECK: %[[C:.*]] = stablehlo.constant dense<6> : tensor<i32>
  // CHECK-NEXT: return %[[C]]
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
  return %1 : tensor<i32>
}

// Nothing is folded if an operand is known only at run time.
// CHECK-LABEL: func.func @argument
func.func @argument(%x: tensor<3xi32>) -> tensor<3xi32> {
  // CHECK: stablehlo.add
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %1 = stablehlo.add %0, %x : tensor<3xi32>
  return %1 : tensor<3xi32>
}

// Declined: a large result would be read from memory.
// CHECK-LABEL: func.func @large_result
func.func @large_result() -> tensor<4096xf32> {
  // CHECK: stablehlo.exponential
  %0 = stablehlo.constant dense<2.0> : tensor<4096xf32>
  %1 = stablehlo.exponential %0 : tensor<4096xf32>
  return %1 : tensor<4096xf32>
}

// Declined: folding a large operand takes longer than reading it at run time.
// CHECK-LABEL: func.func @large_operand
func.func @large_operand() -> tensor<i32> {
  // CHECK: stablehlo.reduce
  %0 = stablehlo.constant dense<1> : tensor<100000xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<100000xi32>, tensor<i32>) -> tensor<i32>
  return %1 : tensor<i32>
}

// Declined: a window over four elements may read many more elements, in padding.
// CHECK-LABEL: func.func @large_window
func.func @large_window() -> tensor<4xf32> {
  // CHECK: stablehlo.reduce_window
  %0 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = "stablehlo.reduce_window"(%0, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 600000001>, padding = dense<[[300000000, 300000000]]> : tensor<1x2xi64>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A small window is folded.
// CHECK-LABEL: func.func @small_window
func.func @small_window() -> tensor<4xf32> {
  // CHECK-NEXT: %[[C:.*]] = stablehlo.constant dense<[3.000000e+00, 6.000000e+00, 9.000000e+00, 7.000000e+00]>
  // CHECK-NEXT: return %[[C]]
  %0 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = "stablehlo.reduce_window"(%0, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 3>, padding = dense<1> : tensor<1x2xi64>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A reduction with an endless body is left to the compiled program.
// CHECK-LABEL: func.func @endless_body
func.func @endless_body() -> tensor<i32> {
  // CHECK: stablehlo.reduce
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.reduce(%0 init: %z) across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
  reducer(%a: tensor<i32>, %b: tensor<i32>) {
    %w = stablehlo.while(%i = %a) : tensor<i32>
    cond {
      %t = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      stablehlo.return %i : tensor<i32>
    }
    stablehlo.return %w : tensor<i32>
  }
  return %1 : tensor<i32>
}

// Values without elements aren't computed, and code outside of the program isn't called for them.
// CHECK-LABEL: func.func @nothing
// CHECK: %[[NOTHING:.*]] = stablehlo.constant dense<> : tensor<0x2xf32>
// CHECK-NOT: plan.host_call
// CHECK: return %[[NOTHING]]
func.func @nothing(%x: tensor<0x2xf32>) -> tensor<0x2xf32> {
  %0:2 = plan.host_call <typed_ffi> "code"(%x) as (tensor<0x2xf32>) -> (tensor<0x2xf32>, tensor<i32>) : (tensor<0x2xf32>) -> (tensor<0x2xf32>, tensor<i32>)
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %ok = stablehlo.compare EQ, %0#1, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %1 = stablehlo.select %ok, %0#0, %x : tensor<i1>, tensor<0x2xf32>
  return %1 : tensor<0x2xf32>
}
