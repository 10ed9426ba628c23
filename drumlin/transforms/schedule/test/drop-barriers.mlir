// RUN: drumlin-opt %s --drop-barriers | FileCheck %s

// Barriers between kernels are no longer needed. The results of a barrier have the memory of its operands.
// CHECK-LABEL: func.func @between_kernels
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>
func.func @between_kernels(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[A:.*]] = plan.loop
  // CHECK-NOT: optimization_barrier
  // CHECK: plan.loop{{.*}}%[[A]]
  // CHECK: return %{{.*}}, %[[Y]]
  %0 = plan.loop(%a = %x : tensor<4xf32>) -> (tensor<4xf32>) {
    %n = stablehlo.negate %a : tensor<4xf32>
    plan.yield %n : tensor<4xf32>
  }
  %1:2 = stablehlo.optimization_barrier %0, %y : tensor<4xf32>, tensor<4xf32>
  %2 = plan.loop(%a = %1#0 : tensor<4xf32>) -> (tensor<4xf32>) {
    %n = stablehlo.negate %a : tensor<4xf32>
    plan.yield %n : tensor<4xf32>
  }
  return %2, %1#1 : tensor<4xf32>, tensor<4xf32>
}
