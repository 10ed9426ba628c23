// RUN: drumlin compile %s -o %t.so --no-cache --target-cpu avx512
// RUN: llvm-objdump -d --no-show-raw-insn %t.so | FileCheck %s --implicit-check-not='%zmm{{[0-9]+}}, {{.*}}(%rsp)' --implicit-check-not='(%rsp){{.*}}, %zmm'

// The micro-kernel has 8 rows of three registers. Each step loads three registers of columns and broadcasts each row. All sums stay
// in registers.

// The kernel itself only calls routines of the library. (Columns that fit into L2 are multiplied in place, by the kernel's own code.)

// CHECK-LABEL: <kernel_gemm_
// CHECK: callq {{.*}} <routine_pack_rows_f32_for_fma_f32x16_along_k>
// CHECK: callq {{.*}} <routine_pack_columns_f32_for_fma_f32x16_prefetched>
// CHECK: callq {{.*}} <routine_multiply_fma_f32_8x3x16>
// CHECK-NOT: {{vfmadd|gather}}
// CHECK-LABEL: <drumlin_entry>
// CHECK-LABEL: <routine_multiply_fma_f32_8x3x16>
// CHECK: vmovups {{.*}}, %zmm
// CHECK-COUNT-24: vfmadd231ps {{.*}}%zmm
// CHECK: jne
// CHECK-NOT: {{callq|gather}}
// CHECK-LABEL: <routine_pack_columns_f32_for_fma_f32x16_prefetched>
func.func @main(%x: tensor<104x512xf32>, %y: tensor<512x4096xf32>) -> tensor<104x4096xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<104x512xf32>, tensor<512x4096xf32>) -> tensor<104x4096xf32>
  return %0 : tensor<104x4096xf32>
}
