// RUN: drumlin-opt --force-kernels=choices=dot=packed,dot@*attention*=gemv %s | FileCheck %s
// RUN: not drumlin-opt --force-kernels=choices=dot=cublaslt %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not drumlin-opt --force-kernels=choices=convolution=packed %s 2>&1 | FileCheck %s --check-prefix=UNMATCHED
// RUN: drumlin-opt "--force-kernels=choices=dot=own target=sm_90" %s | FileCheck %s --check-prefix=GPU

// The last matching choice applies.
// CHECK-LABEL: func.func @main
// CHECK: plan.gemm
// CHECK-SAME: plan.force_kernel = "packed"
// CHECK: plan.gemm
// CHECK-SAME: plan.force_kernel = "gemv"
// GPU-COUNT-2: plan.force_kernel = "own"
// UNKNOWN: `dot=cublaslt` names no kernel of the target, whose kernels are `packed`
// UNMATCHED: `convolution=packed` matches no dot and no convolution of the optimized program
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = plan.gemm(%a = %x : tensor<8x8xf32>) -> (tensor<8x8xf32>) {
    %2 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> loc("mlp.py":3:1)
    plan.yield %2 : tensor<8x8xf32>
  }
  %1 = plan.gemm(%a = %x : tensor<8x8xf32>) -> (tensor<8x8xf32>) {
    %2 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> loc("attention.py":9:1)
    plan.yield %2 : tensor<8x8xf32>
  }
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}
