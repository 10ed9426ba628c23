// RUN: drumlin-opt --select-library-calls=target=sm_90 %s | FileCheck %s
// RUN: drumlin-opt --select-library-calls=target=gfx950 %s | FileCheck %s --check-prefix=HIP
// RUN: drumlin-opt --select-library-calls=target=sm_90 %s | drumlin-opt | FileCheck %s

// A GEMM that the library can compute becomes a library call. The call has all arguments, and keeps the original region.
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

// The part of the epilogue that the library can't compute becomes a generated kernel, which continues from the GEMM's result.
// CHECK-LABEL: func.func @cosine
// CHECK: %[[D:.*]] = plan.library_call({{.*}}) -> (tensor<64x256xf32>)
// CHECK: plan.loop(%[[X:.*]] = %[[D]] : tensor<64x256xf32>) -> (tensor<64x256xf32>)
// CHECK-NEXT: stablehlo.cosine %[[X]]
func.func @cosine(%x: tensor<64x128xf32>, %y: tensor<128x256xf32>) -> tensor<64x256xf32> {
  %0 = plan.gemm(%a = %x : tensor<64x128xf32>, %b = %y : tensor<128x256xf32>) -> (tensor<64x256xf32>) {
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x256xf32>) -> tensor<64x256xf32>
    %2 = stablehlo.cosine %1 : tensor<64x256xf32>
    plan.yield %2 : tensor<64x256xf32>
  }
  return %0 : tensor<64x256xf32>
}

// Operands that are rounded before the GEMM are rounded by separate kernels, in their own layout. Two GEMMs share such a kernel.
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

// If the library can't compute the GEMM even without prologue and epilogue, the kernel isn't split. The reported reason is that of the GEMM
// without prologue and epilogue.
// CHECK-LABEL: func.func @still_own
// CHECK-NOT: plan.loop
// CHECK: plan.gemm({{.*}}) attributes {plan.own_kernel = {detail = "i64"{{.*}}reason = "operand-type"}}
// CHECK-NOT: plan.loop
// CHECK: return
func.func @still_own(%x: tensor<64x128xi32>, %y: tensor<128x256xi32>) -> tensor<64x256xi64> {
  %0 = plan.gemm(%a = %x : tensor<64x128xi32>, %b = %y : tensor<128x256xi32>) -> (tensor<64x256xi64>) {
    %1 = stablehlo.convert %a : (tensor<64x128xi32>) -> tensor<64x128xi64>
    %2 = stablehlo.convert %b : (tensor<128x256xi32>) -> tensor<128x256xi64>
    %3 = stablehlo.dot_general %1, %2, contracting_dims = [1] x [0] : (tensor<64x128xi64>, tensor<128x256xi64>) -> tensor<64x256xi64>
    %4 = stablehlo.negate %3 : tensor<64x256xi64>
    plan.yield %4 : tensor<64x256xi64>
  }
  return %0 : tensor<64x256xi64>
}

// Even an operand that is wider than the values from which it is computed is stored, if the library can then compute the GEMM.
// CHECK-LABEL: func.func @wider
// CHECK: %[[A:.*]] = plan.loop({{.*}}) -> (tensor<64x128xf32>)
// CHECK: plan.library_call({{.*}}%[[A]] : tensor<64x128xf32>
func.func @wider(%x: tensor<64x128xf8E4M3FN>, %y: tensor<128x256xf32>) -> tensor<64x256xf32> {
  %0 = plan.gemm(%a = %x : tensor<64x128xf8E4M3FN>, %b = %y : tensor<128x256xf32>) -> (tensor<64x256xf32>) {
    %1 = stablehlo.convert %a : (tensor<64x128xf8E4M3FN>) -> tensor<64x128xf32>
    %2 = stablehlo.reduce_precision %1, format = e8m2 : tensor<64x128xf32>
    %3 = stablehlo.dot_general %2, %b, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x256xf32>) -> tensor<64x256xf32>
    plan.yield %3 : tensor<64x256xf32>
  }
  return %0 : tensor<64x256xf32>
}

// The library accepts one stride and one batch stride for an operand. If these can't describe the operand, it is copied into a layout that
// they describe.
// CHECK-LABEL: func.func @heads
// CHECK: %[[Q:.*]] = plan.loop({{.*}} = %arg0 : tensor<2x64x2x4x32xbf16>) -> (tensor<2x2x64x4x32xbf16>)
// CHECK-NEXT: stablehlo.transpose
// CHECK: plan.library_call({{.*}}%[[Q]] : tensor<2x2x64x4x32xbf16>
func.func @heads(%q: tensor<2x64x2x4x32xbf16>, %k: tensor<2x2x64x32xbf16>) -> tensor<2x2x64x4x64xf32> {
  %0 = plan.gemm(%a = %q : tensor<2x64x2x4x32xbf16>, %b = %k : tensor<2x2x64x32xbf16>) -> (tensor<2x2x64x4x64xf32>) {
    %1 = stablehlo.dot_general %a, %b, batching_dims = [0, 2] x [0, 1], contracting_dims = [4] x [3] : (tensor<2x64x2x4x32xbf16>, tensor<2x2x64x32xbf16>) -> tensor<2x2x64x4x64xf32>
    plan.yield %1 : tensor<2x2x64x4x64xf32>
  }
  return %0 : tensor<2x2x64x4x64xf32>
}

// Sums that the program rounds to a narrow type without a clamp are stored in f32 and rounded after the call.
// CHECK-LABEL: func.func @narrow
// CHECK: %[[D:.*]] = plan.library_call({{.*}}) -> (tensor<64x256xf32>)
// CHECK: stablehlo.dot_general {{.*}} -> tensor<64x256xf32>
// CHECK: plan.loop({{.*}} = %[[D]] : tensor<64x256xf32>) -> (tensor<64x256xf8E4M3FN>)
// CHECK-NEXT: stablehlo.convert
func.func @narrow(%x: tensor<64x128xf8E4M3FN>, %y: tensor<256x128xf8E4M3FN>) -> tensor<64x256xf8E4M3FN> {
  %0 = plan.gemm(%a = %x : tensor<64x128xf8E4M3FN>, %b = %y : tensor<256x128xf8E4M3FN>) -> (tensor<64x256xf8E4M3FN>) {
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<64x128xf8E4M3FN>, tensor<256x128xf8E4M3FN>) -> tensor<64x256xf8E4M3FN>
    plan.yield %1 : tensor<64x256xf8E4M3FN>
  }
  return %0 : tensor<64x256xf8E4M3FN>
}
