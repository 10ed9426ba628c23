// RUN: drumlin-opt --outline-kernels --split-input-file %s | FileCheck %s

// Each distinct kernel becomes one symbol, which launches name.

// Equal kernels with different names and locations become one symbol, which is launched twice.
// CHECK-LABEL: func.func @equal_kernels
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>
func.func @equal_kernels(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[A:.*]] = plan.launch @[[K:.*]](%[[X]]) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: %[[B:.*]] = plan.launch @[[K]](%[[A]])
  // CHECK-NEXT: return %[[B]]
  %0 = plan.loop(%a = %x : tensor<4xf32>) -> (tensor<4xf32>) {
    %1 = stablehlo.negate %a : tensor<4xf32>
    plan.yield %1 : tensor<4xf32>
  }
  %2 = plan.loop(%other = %0 : tensor<4xf32>) -> (tensor<4xf32>) {
    %name = stablehlo.negate %other : tensor<4xf32> loc("elsewhere":1:1)
    plan.yield %name : tensor<4xf32>
  }
  return %2 : tensor<4xf32>
}
// CHECK: plan.kernel @[[K]] kind(loop) key("{{[0-9a-f]+}}") (%[[P:.*]]: tensor<4xf32>) {
// CHECK-NEXT: %[[R:.*]] = stablehlo.negate %[[P]]
// CHECK-NEXT: plan.yield %[[R]]
// CHECK-NOT: plan.kernel

// -----

// A different operation, type, kind or attribute gives a different kernel.
// CHECK-LABEL: func.func @other_kernels
func.func @other_kernels(%x: tensor<4xf32>, %y: tensor<4xf64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf64>, tensor<4xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0 = plan.loop(%a = %x : tensor<4xf32>) -> (tensor<4xf32>) {
    %1 = stablehlo.negate %a : tensor<4xf32>
    plan.yield %1 : tensor<4xf32>
  }
  %2 = plan.loop(%a = %x : tensor<4xf32>) -> (tensor<4xf32>) {
    %1 = stablehlo.abs %a : tensor<4xf32>
    plan.yield %1 : tensor<4xf32>
  }
  %3 = plan.loop(%a = %y : tensor<4xf64>) -> (tensor<4xf64>) {
    %1 = stablehlo.negate %a : tensor<4xf64>
    plan.yield %1 : tensor<4xf64>
  }
  %4 = plan.gemm(%a = %x : tensor<4xf32>) -> (tensor<4xf32>) {
    %1 = stablehlo.negate %a : tensor<4xf32>
    plan.yield %1 : tensor<4xf32>
  }
  %5 = plan.loop(%a = %x : tensor<4xf32>) -> (tensor<2xf32>) {
    %1 = stablehlo.slice %a [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    plan.yield %1 : tensor<2xf32>
  }
  %6 = plan.loop(%a = %x : tensor<4xf32>) -> (tensor<2xf32>) {
    %1 = stablehlo.slice %a [2:4] : (tensor<4xf32>) -> tensor<2xf32>
    plan.yield %1 : tensor<2xf32>
  }
  return %0, %2, %3, %4, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf64>, tensor<4xf32>, tensor<2xf32>, tensor<2xf32>
}
// CHECK-COUNT-6: plan.kernel @
// CHECK-NOT: plan.kernel @

// -----

// Kernels inside loops are outlined too, and shared with kernels outside.
// CHECK-LABEL: func.func @inside_a_loop
func.func @inside_a_loop(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  // CHECK: plan.launch @[[K:.*]](%
  // CHECK: do {
  // CHECK: plan.launch @[[K]](%
  %0 = plan.loop(%a = %x : tensor<4xf32>) -> (tensor<4xf32>) {
    %1 = stablehlo.negate %a : tensor<4xf32>
    plan.yield %1 : tensor<4xf32>
  }
  %2:2 = stablehlo.while(%v = %0, %q = %p) : tensor<4xf32>, tensor<i1>
  cond {
    stablehlo.return %q : tensor<i1>
  } do {
    %3 = plan.loop(%a = %v : tensor<4xf32>) -> (tensor<4xf32>) {
      %4 = stablehlo.negate %a : tensor<4xf32>
      plan.yield %4 : tensor<4xf32>
    }
    stablehlo.return %3, %q : tensor<4xf32>, tensor<i1>
  }
  return %2#0 : tensor<4xf32>
}
// CHECK: plan.kernel @[[K]]
// CHECK-NOT: plan.kernel @

// -----

// Operations outside kernels are not changed.
// CHECK-LABEL: func.func @no_kernel
// CHECK-SAME: %[[X:.*]]: tensor<4x2xf32>
func.func @no_kernel(%x: tensor<4x2xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: plan.bitcast %[[X]]
  // CHECK-NOT: plan.kernel
  %0 = plan.bitcast %x : (tensor<4x2xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
