// RUN: drumlin-opt %s | FileCheck %s
// RUN: drumlin-opt %s --mlir-print-op-generic | drumlin-opt | FileCheck %s

// The operations of `chlo` are printed as they were read. Operations whose operands and result have one type
// are in drumlin/ir/stablehlo/test/ElementwiseTest.cpp.

// Operations that return a boolean for each element.
// CHECK-LABEL: func.func @unary
func.func @unary(%a: tensor<2xf32>) {
  // CHECK: chlo.is_inf %{{.*}} : tensor<2xf32> -> tensor<2xi1>
  %40 = chlo.is_inf %a : tensor<2xf32> -> tensor<2xi1>
  // CHECK: chlo.is_neg_inf %{{.*}} : tensor<2xf32> -> tensor<2xi1>
  %41 = chlo.is_neg_inf %a : tensor<2xf32> -> tensor<2xi1>
  // CHECK: chlo.is_pos_inf %{{.*}} : tensor<2xf32> -> tensor<2xi1>
  %42 = chlo.is_pos_inf %a : tensor<2xf32> -> tensor<2xi1>
  return
}

// The results of top_k are named `values` and `indices`.
// CHECK-LABEL: func.func @top_k
func.func @top_k(%a: tensor<4x200xf32>) {
  // CHECK: %values, %indices = chlo.top_k(%{{.*}}, k = 20) : tensor<4x200xf32> -> (tensor<4x20xf32>, tensor<4x20xi32>)
  %0, %1 = chlo.top_k(%a, k = 20) : tensor<4x200xf32> -> (tensor<4x20xf32>, tensor<4x20xi32>)
  return
}
