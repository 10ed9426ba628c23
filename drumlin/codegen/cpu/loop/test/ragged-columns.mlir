// RUN: mkdir -p %t.llvm
// RUN: drumlin compile %s -o %t.so --no-cache --target-cpu avx2 --dump-llvm %t.llvm
// RUN: cat %t.llvm/* | FileCheck %s
// RUN: drumlin check %s --target-cpu avx2
// RUN: drumlin check %s --target-cpu baseline

// Without AVX-512 there are no masked loads of bytes and 16-bit words: each lane would be loaded separately.
// The operand, which is reduced along columns, doesn't overlap the result, so the last vector begins earlier and no lane is masked.
// CHECK-NOT: call {{.*}}@llvm.masked
// CHECK: call i64 @llvm.smin.i64(i64 %{{.*}}, i64 %{{.*}})
// CHECK: load <128 x i8>
// CHECK: store <128 x i8>
// CHECK-NOT: call {{.*}}@llvm.masked
func.func @main(%x: tensor<512x1000xi1>) -> tensor<1000xi1> {
  %t = stablehlo.constant dense<true> : tensor<i1>
  %0 = stablehlo.reduce(%x init: %t) applies stablehlo.and across dimensions = [0] : (tensor<512x1000xi1>, tensor<i1>) -> tensor<1000xi1>
  return %0 : tensor<1000xi1>
}
