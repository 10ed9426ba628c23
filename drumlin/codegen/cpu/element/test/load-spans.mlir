// RUN: drumlin compile %s -o %t.so --no-cache --target-cpu avx512
// RUN: llvm-objdump -d --no-show-raw-insn %t.so | FileCheck %s

// Slices every second element and interleaves the slices again: full registers are loaded and permuted.

// CHECK-LABEL: <kernel_loop_
// CHECK-NOT: gather
// CHECK: {{vpermt2ps|vpermi2ps|vpermps}}
// CHECK-NOT: gather
// CHECK-LABEL: <drumlin_entry>
func.func @main(%x: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.slice %x [0:64, 0:256:2] : (tensor<64x256xf32>) -> tensor<64x128xf32>
  %b = stablehlo.slice %x [0:64, 1:256:2] : (tensor<64x256xf32>) -> tensor<64x128xf32>
  %m = stablehlo.maximum %a, %b : tensor<64x128xf32>
  %d = stablehlo.pad %m, %c, low = [0, 0], high = [0, 1], interior = [0, 1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<64x256xf32>
  %e = stablehlo.pad %b, %c, low = [0, 1], high = [0, 0], interior = [0, 1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<64x256xf32>
  %r = stablehlo.add %d, %e : tensor<64x256xf32>
  return %r : tensor<64x256xf32>
}
