// RUN: drumlin-opt --contract-products=target=avx2 %s | FileCheck %s
// RUN: drumlin-opt --contract-products=target=baseline %s | FileCheck %s --check-prefix=BASELINE

// A target without fused multiply-adds fuses none.
// BASELINE-NOT: plan.fma

// Multiplications on either side of an addition or a subtraction are fused. If both sides have one, the left one is fused.
// CHECK-LABEL: func.func @sides
// CHECK: stablehlo.add {{.*}} {plan.fma = 0 : i64}
// CHECK: stablehlo.subtract {{.*}} {plan.fma = 1 : i64}
// CHECK: stablehlo.add {{.*}} {plan.fma = 0 : i64}
func.func @sides(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = plan.loop(%a = %x : tensor<8xf32>, %b = %y : tensor<8xf32>) -> (tensor<8xf32>) {
    %1 = stablehlo.multiply %a, %b : tensor<8xf32>
    %2 = stablehlo.add %1, %b : tensor<8xf32>
    %3 = stablehlo.multiply %a, %2 : tensor<8xf32>
    %4 = stablehlo.subtract %a, %3 : tensor<8xf32>
    %5 = stablehlo.multiply %4, %a : tensor<8xf32>
    %6 = stablehlo.multiply %4, %b : tensor<8xf32>
    %7 = stablehlo.add %5, %6 : tensor<8xf32>
    plan.yield %7 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// If both sides have a multiplication, the one without other users is fused.
// CHECK-LABEL: func.func @shared
// CHECK: stablehlo.add {{.*}} {plan.fma = 1 : i64}
func.func @shared(%x: tensor<8xbf16>) -> (tensor<8xbf16>, tensor<8xbf16>) {
  %0:2 = plan.loop(%a = %x : tensor<8xbf16>) -> (tensor<8xbf16>, tensor<8xbf16>) {
    %1 = stablehlo.multiply %a, %a : tensor<8xbf16>
    %2 = stablehlo.multiply %a, %1 : tensor<8xbf16>
    %3 = stablehlo.add %1, %2 : tensor<8xbf16>
    plan.yield %1, %3 : tensor<8xbf16>, tensor<8xbf16>
  }
  return %0#0, %0#1 : tensor<8xbf16>, tensor<8xbf16>
}

// Not fused: a product with other users, a product of another kernel, and products of integers and of 8-bit floats.
// CHECK-LABEL: func.func @others
// CHECK-NOT: plan.fma
func.func @others(%x: tensor<8xf32>, %i: tensor<8xi32>, %f: tensor<8xf8E5M2>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xi32>, tensor<8xf8E5M2>) {
  %0:2 = plan.loop(%a = %x : tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %1 = stablehlo.multiply %a, %a : tensor<8xf32>
    %2 = stablehlo.add %1, %a : tensor<8xf32>
    plan.yield %1, %2 : tensor<8xf32>, tensor<8xf32>
  }
  %3 = plan.loop(%a = %0#0 : tensor<8xf32>) -> (tensor<8xf32>) {
    %1 = stablehlo.add %a, %a : tensor<8xf32>
    plan.yield %1 : tensor<8xf32>
  }
  %4 = plan.loop(%a = %i : tensor<8xi32>) -> (tensor<8xi32>) {
    %1 = stablehlo.multiply %a, %a : tensor<8xi32>
    %2 = stablehlo.add %1, %a : tensor<8xi32>
    plan.yield %2 : tensor<8xi32>
  }
  %5 = plan.loop(%a = %f : tensor<8xf8E5M2>) -> (tensor<8xf8E5M2>) {
    %1 = stablehlo.multiply %a, %a : tensor<8xf8E5M2>
    %2 = stablehlo.add %1, %a : tensor<8xf8E5M2>
    plan.yield %2 : tensor<8xf8E5M2>
  }
  return %0#0, %0#1, %3, %4, %5 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xi32>, tensor<8xf8E5M2>
}
