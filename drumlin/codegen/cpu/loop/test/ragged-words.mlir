// RUN: mkdir -p %t.llvm
// RUN: drumlin compile %s -o %t.so --no-cache --target-cpu avx2 --dump-llvm %t.llvm
// RUN: cat %t.llvm/* | FileCheck %s

// Masked loads of 32-bit words exist and cost little in a single register, so one loop with masks is emitted.
// CHECK: call {{.*}}@llvm.masked.load.v16f32
// CHECK: call {{.*}}@llvm.masked.store.v16f32
// CHECK-NOT: store <16 x float>
func.func @main(%x: tensor<64x1001xf32>, %y: tensor<1001xf32>) -> tensor<64x1001xf32> {
  %0 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<1001xf32>) -> tensor<64x1001xf32>
  %1 = stablehlo.add %x, %0 : tensor<64x1001xf32>
  return %1 : tensor<64x1001xf32>
}
