// RUN: mkdir -p %t.llvm
// RUN: drumlin compile %s -o %t.so --no-cache --target-cpu avx2 --dump-llvm %t.llvm
// RUN: cat %t.llvm/* | FileCheck %s
// RUN: drumlin check %s --target-cpu avx2
// RUN: drumlin check %s --target-cpu baseline

// Without AVX-512 there are no masked loads of bytes and 16-bit words: each lane would be loaded separately.
// The result may reuse the operand's memory, so no lanes are computed twice: the lanes after the last full vector are masked.
// CHECK-NOT: call {{.*}}@llvm.masked
// CHECK: load <16 x i8>
// CHECK: store <16 x i8>
// CHECK: call {{.*}}@llvm.masked.load
// CHECK: call {{.*}}@llvm.masked.store
// CHECK-NOT: store <16 x i8>
func.func @main(%x: tensor<64x1001xui8>, %y: tensor<1001xui8>) -> tensor<64x1001xui8> {
  %0 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<1001xui8>) -> tensor<64x1001xui8>
  %1 = stablehlo.add %x, %0 : tensor<64x1001xui8>
  return %1 : tensor<64x1001xui8>
}
