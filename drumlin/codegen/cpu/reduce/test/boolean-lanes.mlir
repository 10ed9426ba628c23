// RUN: mkdir -p %t.llvm
// RUN: drumlin compile %s -o %t.so --no-cache --target-cpu avx2 --dump-llvm %t.llvm
// RUN: cat %t.llvm/* | FileCheck %s
// RUN: drumlin check %s --target-cpu avx2
// RUN: drumlin check %s --target-cpu baseline

// Without mask registers, reduced booleans are carried as bytes, or with the width of the compared elements: bits would be
// packed and unpacked in each step.

// CHECK-NOT: phi <{{[0-9]+}} x i1>
// CHECK-DAG: phi <{{[0-9]+}} x i8>
// CHECK-DAG: phi <{{[0-9]+}} x i32>
// CHECK-NOT: phi <{{[0-9]+}} x i1>
func.func @main(%x: tensor<300x1000xi1>, %y: tensor<300x1000xf32>) -> (tensor<300xi1>, tensor<300xi1>) {
  %t = stablehlo.constant dense<true> : tensor<i1>
  %f = stablehlo.constant dense<false> : tensor<i1>
  %z = stablehlo.constant dense<9.0> : tensor<300x1000xf32>
  %0 = stablehlo.reduce(%x init: %t) applies stablehlo.and across dimensions = [1] : (tensor<300x1000xi1>, tensor<i1>) -> tensor<300xi1>
  %p = stablehlo.compare GT, %y, %z : (tensor<300x1000xf32>, tensor<300x1000xf32>) -> tensor<300x1000xi1>
  %1 = stablehlo.reduce(%p init: %f) applies stablehlo.or across dimensions = [1] : (tensor<300x1000xi1>, tensor<i1>) -> tensor<300xi1>
  return %0, %1 : tensor<300xi1>, tensor<300xi1>
}
