// RUN: drumlin compile %s -o %t.so --no-cache --target-cpu avx512
// RUN: llvm-objdump -d --no-show-raw-insn %t.so | FileCheck %s

// A complex multiplication. Each of the two parts, real and imaginary, is computed only in its own eight of a vector's
// sixteen lanes, so that one register of f64 holds the real (or imaginary) part of a factor.

// CHECK-LABEL: <kernel_loop_
// CHECK-COUNT-4: vcvtps2pd
// CHECK-NOT: vcvtps2pd
// CHECK: {{vpermt2ps|vpermi2ps|vpermps}}
// CHECK: vmovups %zmm
// CHECK-LABEL: <drumlin_entry>
func.func @main(%x: tensor<64x256xcomplex<f32>>, %y: tensor<64x256xcomplex<f32>>) -> tensor<64x256xcomplex<f32>> {
  %r = stablehlo.multiply %x, %y : tensor<64x256xcomplex<f32>>
  return %r : tensor<64x256xcomplex<f32>>
}
