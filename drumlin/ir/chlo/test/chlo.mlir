// RUN: drumlin-opt %s | FileCheck %s
// RUN: drumlin-opt %s --mlir-print-op-generic | drumlin-opt | FileCheck %s

// The operations of `chlo` print as they were read.

// One operand.
// CHECK-LABEL: func.func @unary
func.func @unary(%a: tensor<2xf32>) {
  // CHECK: chlo.acos %{{.*}} : tensor<2xf32> -> tensor<2xf32>
  %0 = chlo.acos %a : tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.acosh %{{.*}} : tensor<2xf32> -> tensor<2xf32>
  %1 = chlo.acosh %a : tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.asin %{{.*}} : tensor<2xf32> -> tensor<2xf32>
  %2 = chlo.asin %a : tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.asinh %{{.*}} : tensor<2xf32> -> tensor<2xf32>
  %3 = chlo.asinh %a : tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.atan %{{.*}} : tensor<2xf32> -> tensor<2xf32>
  %4 = chlo.atan %a : tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.atanh %{{.*}} : tensor<2xf32> -> tensor<2xf32>
  %5 = chlo.atanh %a : tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.bessel_i1e %{{.*}} : tensor<2xf32> -> tensor<2xf32>
  %6 = chlo.bessel_i1e %a : tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.conj %{{.*}} : tensor<2xf32> -> tensor<2xf32>
  %7 = chlo.conj %a : tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.cosh %{{.*}} : tensor<2xf32> -> tensor<2xf32>
  %8 = chlo.cosh %a : tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.digamma %{{.*}} : tensor<2xf32> -> tensor<2xf32>
  %9 = chlo.digamma %a : tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.erf %{{.*}} : tensor<2xf32> -> tensor<2xf32>
  %10 = chlo.erf %a : tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.erf_inv %{{.*}} : tensor<2xf32> -> tensor<2xf32>
  %11 = chlo.erf_inv %a : tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.erfc %{{.*}} : tensor<2xf32> -> tensor<2xf32>
  %12 = chlo.erfc %a : tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.lgamma %{{.*}} : tensor<2xf32> -> tensor<2xf32>
  %13 = chlo.lgamma %a : tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.sinh %{{.*}} : tensor<2xf32> -> tensor<2xf32>
  %14 = chlo.sinh %a : tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.square %{{.*}} : tensor<2xf32> -> tensor<2xf32>
  %15 = chlo.square %a : tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.tan %{{.*}} : tensor<2xf32> -> tensor<2xf32>
  %16 = chlo.tan %a : tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.is_inf %{{.*}} : tensor<2xf32> -> tensor<2xi1>
  %40 = chlo.is_inf %a : tensor<2xf32> -> tensor<2xi1>
  // CHECK: chlo.is_neg_inf %{{.*}} : tensor<2xf32> -> tensor<2xi1>
  %41 = chlo.is_neg_inf %a : tensor<2xf32> -> tensor<2xi1>
  // CHECK: chlo.is_pos_inf %{{.*}} : tensor<2xf32> -> tensor<2xi1>
  %42 = chlo.is_pos_inf %a : tensor<2xf32> -> tensor<2xi1>
  return
}

// Two operands.
// CHECK-LABEL: func.func @binary
func.func @binary(%a: tensor<2xf32>, %i: tensor<2xui32>) {
  // CHECK: chlo.next_after %{{.*}}, %{{.*}} : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %0 = chlo.next_after %a, %a : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.polygamma %{{.*}}, %{{.*}} : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %1 = chlo.polygamma %a, %a : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.zeta %{{.*}}, %{{.*}} : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %2 = chlo.zeta %a, %a : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  // CHECK: chlo.mulhi %{{.*}}, %{{.*}} : tensor<2xui32>, tensor<2xui32> -> tensor<2xui32>
  %9 = chlo.mulhi %i, %i : tensor<2xui32>, tensor<2xui32> -> tensor<2xui32>
  return
}

// The largest elements of each row; results have names.
// CHECK-LABEL: func.func @top_k
func.func @top_k(%a: tensor<4x200xf32>) {
  // CHECK: %values, %indices = chlo.top_k(%{{.*}}, k = 20) : tensor<4x200xf32> -> (tensor<4x20xf32>, tensor<4x20xi32>)
  %0, %1 = chlo.top_k(%a, k = 20) : tensor<4x200xf32> -> (tensor<4x20xf32>, tensor<4x20xi32>)
  return
}
