// RUN: rm -rf %t.llvm && mkdir %t.llvm
// RUN: drumlin compile %s -o %t.so --no-cache --target-cpu avx512 --dump-llvm %t.llvm
// RUN: cat %t.llvm/*.ll | FileCheck %s

// An input isn't marked noalias if the result may overwrite it. Here, the result may overwrite the first input, each element of which is
// read before its bytes are overwritten. The result may not overwrite the second input.

// CHECK: load <16 x float>, ptr %{{[0-9]+}}, align 4{{$}}
// CHECK: load <16 x float>, ptr %{{[0-9]+}}, align 4, !noalias
// CHECK: store {{.*}}!alias.scope
func.func @main(%x: tensor<64xf32>, %y: tensor<16xf32>) -> tensor<2x16xf16> {
  %0 = stablehlo.slice %x [32:64] : (tensor<64xf32>) -> tensor<32xf32>
  %1 = stablehlo.reshape %0 : (tensor<32xf32>) -> tensor<2x16xf32>
  %2 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<16xf32>) -> tensor<2x16xf32>
  %3 = stablehlo.add %1, %2 : tensor<2x16xf32>
  %4 = stablehlo.convert %3 : (tensor<2x16xf32>) -> tensor<2x16xf16>
  return %4 : tensor<2x16xf16>
}
