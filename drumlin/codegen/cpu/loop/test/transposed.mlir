// RUN: drumlin compile %s -o %t.so --no-cache --target-cpu avx512
// RUN: llvm-objdump -d --no-show-raw-insn %t.so | FileCheck %s

// A transposed operand is read in blocks that are transposed in registers.

// CHECK-LABEL: <kernel_loop_
// CHECK-NOT: {{gather|scatter|callq}}
// CHECK: {{vpermt2ps|vunpcklp|vshufp|vpermi2p|vunpckhp}}
// CHECK-NOT: {{gather|scatter|callq}}
// CHECK-LABEL: <drumlin_entry>
func.func @main(%x: tensor<256x512xf32>, %y: tensor<512x256xf32>) -> tensor<512x256xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<256x512xf32>) -> tensor<512x256xf32>
  %1 = stablehlo.add %0, %y : tensor<512x256xf32>
  return %1 : tensor<512x256xf32>
}
