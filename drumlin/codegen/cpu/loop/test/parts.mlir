// RUN: drumlin plan %s --target-cpu avx2 | FileCheck %s --check-prefix=PLAN
// RUN: drumlin compile %s -o %t.so --no-cache --target-cpu avx2
// RUN: llvm-objdump -d --no-show-raw-insn %t.so | FileCheck %s --check-prefix=CODE

// The two sides of a cut read different operands, in separate code, so only the lanes of remainders are masked. In a flat
// traversal, rows of 5 (or 11) elements begin at the same lanes again after 80 (or 176) positions.

// PLAN-DAG: [flat, tile = {{[0-9]+}}, cut = 0:4000]
// PLAN-DAG: [rows, tile = {{[0-9]+}}, cut = 0:1, cut = 0:31, cut = 1:1, cut = 1:81]
// PLAN-DAG: [flat, tile = {{[0-9]+}}, period = 80]
// PLAN-DAG: [flat, tile = {{[0-9]+}}, period = 176]

// CODE-NOT: gather
// CODE: <drumlin_entry>
func.func @main(%a: tensor<4000xf32>, %b: tensor<5000xf32>, %x: tensor<30x80xf32>, %p: tensor<f32>, %r5: tensor<5xf32>, %x5: tensor<200x5xf32>, %r11: tensor<11xf32>)
    -> (tensor<9000xf32>, tensor<32x82xf32>, tensor<200x5xf32>, tensor<200x11xf32>) {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<4000xf32>, tensor<5000xf32>) -> tensor<9000xf32>
  %1 = stablehlo.optimization_barrier %x : tensor<30x80xf32>
  %2 = stablehlo.pad %1, %p, low = [1, 1], high = [1, 1], interior = [0, 0] : (tensor<30x80xf32>, tensor<f32>) -> tensor<32x82xf32>
  %3 = stablehlo.broadcast_in_dim %r5, dims = [1] : (tensor<5xf32>) -> tensor<200x5xf32>
  %4 = stablehlo.add %x5, %3 : tensor<200x5xf32>
  %5 = stablehlo.broadcast_in_dim %r11, dims = [1] : (tensor<11xf32>) -> tensor<200x11xf32>
  %6 = stablehlo.negate %5 : tensor<200x11xf32>
  return %0, %2, %4, %6 : tensor<9000xf32>, tensor<32x82xf32>, tensor<200x5xf32>, tensor<200x11xf32>
}
