// RUN: drumlin-opt --normalize-layouts %s | FileCheck %s

// Reshapes between kernels cost nothing, and become bitcasts.

// The bytes stay in place.
// CHECK-LABEL: func.func @between_kernels
// CHECK-SAME: %[[X:.*]]: tensor<4x2xf32>
func.func @between_kernels(%x: tensor<4x2xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[B:.*]] = plan.bitcast %[[X]] reshape [4, 2] in [0, 1] to [8] in [0] : (tensor<4x2xf32>) -> tensor<8xf32>
  // CHECK-NEXT: return %[[B]]
  %0 = stablehlo.reshape %x : (tensor<4x2xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Regions of loops contain kernels too.
// CHECK-LABEL: func.func @inside_a_loop
func.func @inside_a_loop(%x: tensor<4x2xf32>, %p: tensor<1xi1>) -> tensor<4x2xf32> {
  // CHECK: cond {
  // CHECK-NEXT: plan.bitcast
  // CHECK: do {
  // CHECK-NEXT: plan.bitcast
  // CHECK-NEXT: plan.bitcast
  %0:2 = stablehlo.while(%v = %x, %q = %p) : tensor<4x2xf32>, tensor<1xi1>
  cond {
    %1 = stablehlo.reshape %q : (tensor<1xi1>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.reshape %v : (tensor<4x2xf32>) -> tensor<8xf32>
    %2 = stablehlo.reshape %1 : (tensor<8xf32>) -> tensor<4x2xf32>
    stablehlo.return %2, %q : tensor<4x2xf32>, tensor<1xi1>
  }
  return %0#0 : tensor<4x2xf32>
}

// A reshape inside a kernel is part of the kernel's computation.
// CHECK-LABEL: func.func @inside_a_kernel
func.func @inside_a_kernel(%x: tensor<4x2xf32>) -> tensor<8xf32> {
  // CHECK: plan.loop
  // CHECK-NEXT: stablehlo.reshape
  // CHECK-NOT: plan.bitcast
  %0 = plan.loop(%a = %x : tensor<4x2xf32>) -> (tensor<8xf32>) {
    %1 = stablehlo.reshape %a : (tensor<4x2xf32>) -> tensor<8xf32>
    %2 = stablehlo.negate %1 : tensor<8xf32>
    plan.yield %2 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
