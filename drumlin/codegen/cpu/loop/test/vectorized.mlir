// RUN: drumlin compile %s -o %t.so --no-cache --target-cpu avx512
// RUN: llvm-objdump -d --no-show-raw-insn %t.so | FileCheck %s

// Elementwise operations use full registers, math functions are inlined, and nothing is on the stack.

// CHECK-LABEL: <kernel_loop_
// CHECK-NOT: {{callq|gather|scatter|%rsp}}
// CHECK: vmulps {{.*}}%zmm
// CHECK: vfmadd{{.*}}%zmm
// CHECK-NOT: {{callq|gather|scatter|%rsp}}
// CHECK: vmovups {{.*}}%zmm{{[0-9]+}}, {{.*}}(%r
// CHECK-NOT: {{callq|gather|scatter|%rsp}}
// CHECK-LABEL: <drumlin_entry>
func.func @main(%x: tensor<1024xf32>, %y: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = stablehlo.multiply %x, %y : tensor<1024xf32>
  %1 = stablehlo.exponential %0 : tensor<1024xf32>
  return %1 : tensor<1024xf32>
}
