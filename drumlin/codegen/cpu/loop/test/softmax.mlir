// RUN: drumlin compile %s -o %t.so --no-cache --target-cpu avx512
// RUN: llvm-objdump -d --no-show-raw-insn %t.so | FileCheck %s

// The maximum, the exponentials and the sum of a row are computed once, before the row's elements.

// CHECK-LABEL: <kernel_loop_
// CHECK-NOT: {{gather|callq}}
// CHECK: vmaxps {{.*}}%zmm
// CHECK-NOT: {{gather|callq}}
// CHECK: {{vdivps|vrcp14ps}}
// CHECK-NOT: {{vmaxps.*zmm|gather|callq}}
// CHECK-LABEL: <drumlin_entry>
func.func @main(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<64x512xf32>, tensor<f32>) -> tensor<64xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<64xf32>) -> tensor<64x512xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<64x512xf32>
  %3 = stablehlo.exponential %2 : tensor<64x512xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x512xf32>, tensor<f32>) -> tensor<64xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<64xf32>) -> tensor<64x512xf32>
  %6 = stablehlo.divide %3, %5 : tensor<64x512xf32>
  return %6 : tensor<64x512xf32>
}
