// RUN: drumlin-opt --fold-constants --cse %s | FileCheck %s

// Operations on constants are evaluated, within a budget.

// A chain of them is one constant.
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

// With an operand that is known only at run time nothing is folded.
// CHECK-LABEL: func.func @argument
func.func @argument(%x: tensor<3xi32>) -> tensor<3xi32> {
  // CHECK: stablehlo.add
  %0 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %1 = stablehlo.add %0, %x : tensor<3xi32>
  return %1 : tensor<3xi32>
}

// A large result would be read from memory: declined.
// CHECK-LABEL: func.func @large_result
func.func @large_result() -> tensor<4096xf32> {
  // CHECK: stablehlo.exponential
  %0 = stablehlo.constant dense<2.0> : tensor<4096xf32>
  %1 = stablehlo.exponential %0 : tensor<4096xf32>
  return %1 : tensor<4096xf32>
}

// So would a large operand take long to evaluate: declined.
// CHECK-LABEL: func.func @large_operand
func.func @large_operand() -> tensor<i32> {
  // CHECK: stablehlo.reduce
  %0 = stablehlo.constant dense<1> : tensor<100000xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<100000xi32>, tensor<i32>) -> tensor<i32>
  return %1 : tensor<i32>
}
