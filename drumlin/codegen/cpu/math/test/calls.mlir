// RUN: drumlin compile %s -o %t.so --no-cache --target-cpu avx512
// RUN: llvm-objdump -d --no-show-raw-insn %t.so | FileCheck %s

// The reduction of large arguments is a function of its own, behind a branch; all else of a sine is code in place.

// CHECK-LABEL: <kernel_loop_
// CHECK: vfmadd{{.*}}%zmm
// CHECK-LABEL: <drumlin_entry>
func.func @main(%x: tensor<1024xf64>) -> tensor<1024xf64> {
  %0 = stablehlo.sine %x : tensor<1024xf64>
  return %0 : tensor<1024xf64>
}
