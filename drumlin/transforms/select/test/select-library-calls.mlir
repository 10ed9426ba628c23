// RUN: drumlin-opt --select-library-calls=target=sm_90 %s | FileCheck %s
// RUN: drumlin-opt --select-library-calls=target=gfx950 %s | FileCheck %s --check-prefix=HIP
// RUN: drumlin-opt --select-library-calls=target=sm_90 %s | drumlin-opt | FileCheck %s

// A product that the library computes is its call, with every argument, around what it means.
// CHECK-LABEL: func.func @product
// CHECK: plan.library_call({{.*}}) attributes
// CHECK-SAME: call = {A = {batch_count = 1
// CHECK-SAME: compute_type = "CUBLAS_COMPUTE_32F"
// CHECK-SAME: function = "cublasLtMatmul"
// CHECK-SAME: target = "sm_90"
// CHECK: stablehlo.dot_general
// HIP-LABEL: func.func @product
// HIP: plan.library_call
// HIP-SAME: function = "hipblasLtMatmul"
func.func @product(%x: tensor<64x128xbf16>, %y: tensor<128x256xbf16>) -> tensor<64x256xbf16> {
  %0 = plan.gemm(%a = %x : tensor<64x128xbf16>, %b = %y : tensor<128x256xbf16>) -> (tensor<64x256xbf16>) {
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x128xbf16>, tensor<128x256xbf16>) -> tensor<64x256xbf16>
    plan.yield %1 : tensor<64x256xbf16>
  }
  return %0 : tensor<64x256xbf16>
}

// One that it doesn't compute stays a kernel, with the reason.
// CHECK-LABEL: func.func @cosine
// CHECK: plan.gemm({{.*}}) attributes {plan.own_kernel = {detail = {{.*}}, reason = "pointwise"}}
func.func @cosine(%x: tensor<64x128xf32>, %y: tensor<128x256xf32>) -> tensor<64x256xf32> {
  %0 = plan.gemm(%a = %x : tensor<64x128xf32>, %b = %y : tensor<128x256xf32>) -> (tensor<64x256xf32>) {
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x256xf32>) -> tensor<64x256xf32>
    %2 = stablehlo.cosine %1 : tensor<64x256xf32>
    plan.yield %2 : tensor<64x256xf32>
  }
  return %0 : tensor<64x256xf32>
}
