// RUN: drumlin compile %s -o %t.so --no-cache --target-cpu avx512
// RUN: llvm-objdump -d --no-show-raw-insn %t.so | FileCheck %s

// The reduction of large arguments is a separate function behind a branch; the remaining code of the sine is inlined.

// CHECK-LABEL: <kernel_loop_
// CHECK: vfmadd{{.*}}%zmm
// CHECK-LABEL: <drumlin_entry>
func.func @main(%x: tensor<1024xf64>) -> tensor<1024xf64> {
  %0 = stablehlo.sine %x : tensor<1024xf64>
  return %0 : tensor<1024xf64>
}
