// RUN: drumlin compile %s -o %t.so --no-cache --target-cpu avx512
// RUN: llvm-objdump -d --no-show-raw-insn %t.so | FileCheck %s

// Rows of a table are contiguous in memory, so no element is gathered separately.

// CHECK-LABEL: <kernel_loop_
// CHECK-NOT: {{gather|callq}}
// CHECK: vmovups {{.*}}, %zmm
// CHECK-NOT: {{gather|callq}}
// CHECK-LABEL: <drumlin_entry>
func.func @main(%table: tensor<1000x128xf32>, %rows: tensor<32x1xi32>) -> tensor<32x128xf32> {
  %0 = "stablehlo.gather"(%table, %rows) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 128>}> : (tensor<1000x128xf32>, tensor<32x1xi32>) -> tensor<32x128xf32>
  return %0 : tensor<32x128xf32>
}
