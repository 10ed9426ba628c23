// RUN: drumlin-opt --block-layouts=target=avx512 %s | FileCheck %s
// RUN: drumlin-opt --block-layouts=target=avx2 %s | FileCheck %s --check-prefix=AVX2
// RUN: drumlin-opt --block-layouts=target=avx512 --select-schedules=target=avx512 %s | FileCheck %s --check-prefix=SELECT

// Static operands of GEMMs are stored in panels if that is predicted to take less time.

// A panel has as many columns as a register has accumulators.
// CHECK-LABEL: func.func @weight
// CHECK-SAME: tensor<6x64x16xf32> {drumlin.static, plan.layout = #plan.layout<[2, 0, 1], blocks = [1, 16], of = [64, 96]>}
// CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0, 2] : (tensor<6x64x16xf32>) -> tensor<64x6x16xf32>
// CHECK: stablehlo.reshape
// CHECK-NOT: stablehlo.slice
// AVX2-LABEL: func.func @weight
// AVX2-SAME: tensor<12x64x8xf32>
// SELECT-LABEL: func.func @weight
// SELECT: #plan.gemm<packed, {{.*}}columns_in_panels
func.func @weight(%x: tensor<80x64xf32>, %w: tensor<64x96xf32> {drumlin.static}) -> tensor<80x96xf32> {
  %0 = plan.gemm(%a = %x : tensor<80x64xf32>, %b = %w : tensor<64x96xf32>) -> (tensor<80x96xf32>) {
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<80x64xf32>, tensor<64x96xf32>) -> tensor<80x96xf32>
    plan.yield %1 : tensor<80x96xf32>
  }
  return %0 : tensor<80x96xf32>
}

// A weight that is used in place in the caller's file keeps its layout there.
// CHECK-LABEL: func.func @weight_in_place
// CHECK-SAME: %{{.*}}: tensor<64x96xf32>)
// SELECT-LABEL: func.func @weight_in_place
// SELECT-NOT: columns_in_panels
// SELECT: return
func.func @weight_in_place(%x: tensor<80x64xf32>, %w: tensor<64x96xf32>) -> tensor<80x96xf32> attributes {plan.weights = ["w"], plan.weights_in_place} {
  %0 = plan.gemm(%a = %x : tensor<80x64xf32>, %b = %w : tensor<64x96xf32>) -> (tensor<80x96xf32>) {
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<80x64xf32>, tensor<64x96xf32>) -> tensor<80x96xf32>
    plan.yield %1 : tensor<80x96xf32>
  }
  return %0 : tensor<80x96xf32>
}

// A weight that already has another order, and whose columns don't fill the last panel.
// CHECK-LABEL: func.func @turned
// CHECK-SAME: tensor<7x64x16xf32> {drumlin.static, plan.layout = #plan.layout<[1, 2, 0], blocks = [16, 1], of = [100, 64]>}
// CHECK: stablehlo.slice %{{.*}} [0:64, 0:100]
// SELECT-LABEL: func.func @turned
// SELECT: columns_in_panels
func.func @turned(%x: tensor<80x64xf32>, %w: tensor<64x100xf32> {drumlin.static, plan.layout = #plan.layout<[0, 1]>}) -> tensor<80x100xf32> {
  %0 = plan.gemm(%a = %x : tensor<80x64xf32>, %b = %w : tensor<64x100xf32>) -> (tensor<80x100xf32>) {
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<80x64xf32>, tensor<64x100xf32>) -> tensor<80x100xf32>
    plan.yield %1 : tensor<80x100xf32>
  }
  return %0 : tensor<80x100xf32>
}

// A GEMM of few rows is a GEMV, which reads the weight in its own layout.
// CHECK-LABEL: func.func @few_rows
// CHECK-SAME: %{{.*}}: tensor<2048x2048xf32> {drumlin.static})
func.func @few_rows(%x: tensor<1x2048xf32>, %w: tensor<2048x2048xf32> {drumlin.static}) -> tensor<1x2048xf32> {
  %0 = plan.gemm(%a = %x : tensor<1x2048xf32>, %b = %w : tensor<2048x2048xf32>) -> (tensor<1x2048xf32>) {
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x2048xf32>, tensor<2048x2048xf32>) -> tensor<1x2048xf32>
    plan.yield %1 : tensor<1x2048xf32>
  }
  return %0 : tensor<1x2048xf32>
}

// If both operands of a GEMM are static, neither is stored in panels: only one of them could be multiplied in place.
// CHECK-LABEL: func.func @both_operands
// CHECK-SAME: tensor<80x64xf32> {drumlin.static})
func.func @both_operands(%x: tensor<80x64xf32> {drumlin.static}) -> tensor<80x80xf32> {
  %0 = plan.gemm(%a = %x : tensor<80x64xf32>, %b = %x : tensor<80x64xf32>) -> (tensor<80x80xf32>) {
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<80x64xf32>, tensor<80x64xf32>) -> tensor<80x80xf32>
    plan.yield %1 : tensor<80x80xf32>
  }
  return %0 : tensor<80x80xf32>
}

// If another operation reads the weight, the weight keeps its layout.
// CHECK-LABEL: func.func @other_reader
// CHECK-SAME: %{{.*}}: tensor<64x96xf32> {drumlin.static})
func.func @other_reader(%x: tensor<80x64xf32>, %w: tensor<64x96xf32> {drumlin.static}) -> (tensor<80x96xf32>, tensor<64x96xf32>) {
  %0 = plan.gemm(%a = %x : tensor<80x64xf32>, %b = %w : tensor<64x96xf32>) -> (tensor<80x96xf32>) {
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<80x64xf32>, tensor<64x96xf32>) -> tensor<80x96xf32>
    plan.yield %1 : tensor<80x96xf32>
  }
  return %0, %w : tensor<80x96xf32>, tensor<64x96xf32>
}

// An argument that may differ at every call, and an argument with a layout requested by the caller, keep their layouts.
// CHECK-LABEL: func.func @other_arguments
// CHECK-SAME: %{{.*}}: tensor<64x96xf32>, %{{.*}}: tensor<64x96xf32> {drumlin.static, mhlo.layout_mode = "default"})
func.func @other_arguments(%x: tensor<80x64xf32>, %w: tensor<64x96xf32>, %v: tensor<64x96xf32> {drumlin.static, mhlo.layout_mode = "default"}) -> (tensor<80x96xf32>, tensor<80x96xf32>) {
  %0 = plan.gemm(%a = %x : tensor<80x64xf32>, %b = %w : tensor<64x96xf32>) -> (tensor<80x96xf32>) {
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<80x64xf32>, tensor<64x96xf32>) -> tensor<80x96xf32>
    plan.yield %1 : tensor<80x96xf32>
  }
  %2 = plan.gemm(%a = %x : tensor<80x64xf32>, %b = %v : tensor<64x96xf32>) -> (tensor<80x96xf32>) {
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<80x64xf32>, tensor<64x96xf32>) -> tensor<80x96xf32>
    plan.yield %1 : tensor<80x96xf32>
  }
  return %0, %2 : tensor<80x96xf32>, tensor<80x96xf32>
}
