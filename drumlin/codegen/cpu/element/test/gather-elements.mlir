// RUN: drumlin compile %s -o %t.so --no-cache --target-cpu avx512
// RUN: llvm-objdump -d --no-show-raw-insn %t.so | FileCheck %s

// Gathers elements of a table, each from an arbitrary position.

// CHECK-LABEL: <kernel_loop_
// CHECK: {{vgather|vpgather}}
// CHECK-LABEL: <drumlin_entry>
func.func @main(%table: tensor<1000xf32>, %at: tensor<256x1xi32>) -> tensor<256xf32> {
  %0 = "stablehlo.gather"(%table, %at) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<1000xf32>, tensor<256x1xi32>) -> tensor<256xf32>
  return %0 : tensor<256xf32>
}
