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

// Operands that are rounded in front of the product are rounded by kernels before it, as they lie; two products share one.
// CHECK-LABEL: func.func @rounded
// CHECK: %[[X:.*]] = plan.loop(%{{.*}} = %arg0 : tensor<128x64xf32>) -> (tensor<128x64xbf16>)
// CHECK-NEXT: stablehlo.convert
// CHECK: %[[Y:.*]] = plan.loop(%{{.*}} = %arg1 : tensor<128x256xf32>) -> (tensor<128x256xbf16>)
// CHECK: plan.library_call(%{{.*}} = %[[X]] : tensor<128x64xbf16>, %{{.*}} = %[[Y]] : tensor<128x256xbf16>)
// CHECK: stablehlo.transpose {{.*}} : (tensor<128x64xbf16>) -> tensor<64x128xbf16>
// CHECK: %[[Z:.*]] = plan.loop(%{{.*}} = %arg2 : tensor<128x256xf32>) -> (tensor<128x256xbf16>)
// CHECK: plan.library_call(%{{.*}} = %[[X]] : tensor<128x64xbf16>, %{{.*}} = %[[Z]] : tensor<128x256xbf16>)
func.func @rounded(%x: tensor<128x64xf32>, %y: tensor<128x256xf32>, %z: tensor<128x256xf32>) -> (tensor<64x256xf32>, tensor<64x256xf32>) {
  %0 = plan.gemm(%a = %x : tensor<128x64xf32>, %b = %y : tensor<128x256xf32>) -> (tensor<64x256xf32>) {
    %2 = stablehlo.transpose %a, dims = [1, 0] : (tensor<128x64xf32>) -> tensor<64x128xf32>
    %3 = stablehlo.convert %2 : (tensor<64x128xf32>) -> tensor<64x128xbf16>
    %4 = stablehlo.convert %b : (tensor<128x256xf32>) -> tensor<128x256xbf16>
    %5 = stablehlo.dot_general %3, %4, contracting_dims = [1] x [0] : (tensor<64x128xbf16>, tensor<128x256xbf16>) -> tensor<64x256xf32>
    plan.yield %5 : tensor<64x256xf32>
  }
  %1 = plan.gemm(%a = %x : tensor<128x64xf32>, %b = %z : tensor<128x256xf32>) -> (tensor<64x256xf32>) {
    %2 = stablehlo.transpose %a, dims = [1, 0] : (tensor<128x64xf32>) -> tensor<64x128xf32>
    %3 = stablehlo.convert %2 : (tensor<64x128xf32>) -> tensor<64x128xbf16>
    %4 = stablehlo.convert %b : (tensor<128x256xf32>) -> tensor<128x256xbf16>
    %5 = stablehlo.dot_general %3, %4, contracting_dims = [1] x [0] : (tensor<64x128xbf16>, tensor<128x256xbf16>) -> tensor<64x256xf32>
    plan.yield %5 : tensor<64x256xf32>
  }
  return %0, %1 : tensor<64x256xf32>, tensor<64x256xf32>
}

// Where the library doesn't compute the product anyway, its kernel stays as it is.
// CHECK-LABEL: func.func @still_own
// CHECK-NOT: plan.loop
// CHECK: plan.gemm({{.*}}) attributes {plan.own_kernel = {detail = "{{.*}}, and rounded before it: pointwise", {{.*}}reason = "operand-computed"}}
// CHECK-NOT: plan.loop
// CHECK: return
func.func @still_own(%x: tensor<64x128xf32>, %y: tensor<128x256xf32>) -> tensor<64x256xf32> {
  %0 = plan.gemm(%a = %x : tensor<64x128xf32>, %b = %y : tensor<128x256xf32>) -> (tensor<64x256xf32>) {
    %1 = stablehlo.convert %a : (tensor<64x128xf32>) -> tensor<64x128xbf16>
    %2 = stablehlo.convert %b : (tensor<128x256xf32>) -> tensor<128x256xbf16>
    %3 = stablehlo.dot_general %1, %2, contracting_dims = [1] x [0] : (tensor<64x128xbf16>, tensor<128x256xbf16>) -> tensor<64x256xf32>
    %4 = stablehlo.cosine %3 : tensor<64x256xf32>
    plan.yield %4 : tensor<64x256xf32>
  }
  return %0 : tensor<64x256xf32>
}

// An operand that would be wider in memory isn't made there.
// CHECK-LABEL: func.func @wider
// CHECK-NOT: plan.loop
// CHECK: plan.gemm
// CHECK-NOT: plan.loop
// CHECK: return
func.func @wider(%x: tensor<64x128xf8E4M3FN>, %y: tensor<128x256xf32>) -> tensor<64x256xf32> {
  %0 = plan.gemm(%a = %x : tensor<64x128xf8E4M3FN>, %b = %y : tensor<128x256xf32>) -> (tensor<64x256xf32>) {
    %1 = stablehlo.convert %a : (tensor<64x128xf8E4M3FN>) -> tensor<64x128xf32>
    %2 = stablehlo.reduce_precision %1, format = e8m2 : tensor<64x128xf32>
    %3 = stablehlo.dot_general %2, %b, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x256xf32>) -> tensor<64x256xf32>
    plan.yield %3 : tensor<64x256xf32>
  }
  return %0 : tensor<64x256xf32>
}
