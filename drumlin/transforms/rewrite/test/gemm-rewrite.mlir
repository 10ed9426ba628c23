// RUN: drumlin-opt --gemm-rewrite %s | FileCheck %s
// RUN: drumlin-opt --gemm-rewrite=model-type=transformer %s | FileCheck %s --check-prefixes=TRANSFORMER
// RUN: drumlin-opt --gemm-rewrite=model-type=unet-inference %s | FileCheck %s --check-prefixes=UNET

// Dots and convolutions absorb their producers and consumers.

// A dot alone is a kernel.
// CHECK-LABEL: func.func @dot
// CHECK-SAME: %[[X:.*]]: tensor<8x16xf32>, %[[Y:.*]]: tensor<16x4xf32>
func.func @dot(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>) -> tensor<8x4xf32> {
  // CHECK-NEXT: %[[G:.*]] = plan.gemm(%[[A:.*]] = %[[X]] : tensor<8x16xf32>, %[[B:.*]] = %[[Y]] : tensor<16x4xf32>) -> (tensor<8x4xf32>)
  // CHECK-NEXT: %[[D:.*]] = stablehlo.dot_general %[[A]], %[[B]]
  // CHECK-NEXT: plan.yield %[[D]]
  // CHECK: return %[[G]]
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// A convolution alone is a kernel.
// CHECK-LABEL: func.func @convolution
func.func @convolution(%x: tensor<1x8x8x3xf32>, %y: tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32> {
  // CHECK: plan.gemm
  // CHECK-NEXT: stablehlo.convolution
  %0 = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
  return %0 : tensor<1x6x6x4xf32>
}

// Epilogue: a bias, an activation and a conversion, with their constants.
// CHECK-LABEL: func.func @epilogue
// CHECK-SAME: %[[X:.*]]: tensor<8x16xf32>, %[[Y:.*]]: tensor<16x4xf32>, %[[Z:.*]]: tensor<4xf32>
func.func @epilogue(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>, %bias: tensor<4xf32>) -> tensor<8x4xbf16> {
  // CHECK: plan.gemm({{.*}}= %[[Z]] : tensor<4xf32>) -> (tensor<8x4xbf16>)
  // CHECK-DAG: %[[C:.*]] = stablehlo.constant
  // CHECK-DAG: %[[Z2:.*]] = stablehlo.broadcast_in_dim %[[C]]
  // CHECK-DAG: %[[D:.*]] = stablehlo.dot_general
  // CHECK-DAG: stablehlo.add %[[D]]
  // CHECK: stablehlo.maximum
  // CHECK: stablehlo.convert
  // CHECK: plan.yield %{{.*}} : tensor<8x4xbf16>
  // CHECK-NEXT: }
  // CHECK-NEXT: return
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
  %4 = stablehlo.maximum %2, %3 : tensor<8x4xf32>
  %5 = stablehlo.convert %4 : (tensor<8x4xf32>) -> tensor<8x4xbf16>
  return %5 : tensor<8x4xbf16>
}

// The order of the text doesn't matter: other operands of the epilogue may be written before or after the dot.
// CHECK-LABEL: func.func @epilogue_in_another_order
func.func @epilogue_in_another_order(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>, %bias: tensor<4xf32>) -> tensor<8x4xbf16> {
  // CHECK: plan.gemm({{.*}}) -> (tensor<8x4xbf16>)
  // CHECK: }
  // CHECK-NEXT: return
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
  %1 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %2 = stablehlo.add %1, %0 : tensor<8x4xf32>
  %4 = stablehlo.maximum %3, %2 : tensor<8x4xf32>
  %5 = stablehlo.convert %4 : (tensor<8x4xf32>) -> tensor<8x4xbf16>
  return %5 : tensor<8x4xbf16>
}

// An intermediate value with other users is an additional result; the epilogue continues.
// CHECK-LABEL: func.func @intermediate_is_yielded
func.func @intermediate_is_yielded(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  // CHECK: %[[G:.*]]:2 = plan.gemm
  // CHECK: %[[D:.*]] = stablehlo.dot_general
  // CHECK: %[[T:.*]] = stablehlo.negate %[[D]]
  // CHECK: plan.yield %[[D]], %[[T]]
  // CHECK: return %[[G]]#1, %[[G]]#0
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.negate %0 : tensor<8x4xf32>
  return %1, %0 : tensor<8x4xf32>, tensor<8x4xf32>
}

// The maximum magnitude of an fp8 result is absorbed, and so are operations that use only this maximum.
// CHECK-LABEL: func.func @amax
func.func @amax(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>) -> (tensor<8x4xf32>, tensor<bf16>) {
  // CHECK: plan.gemm({{.*}}) -> (tensor<8x4xf32>, tensor<bf16>)
  // CHECK: stablehlo.abs
  // CHECK: stablehlo.reduce
  // CHECK: stablehlo.convert
  // CHECK: }
  // CHECK-NEXT: return
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.abs %0 : tensor<8x4xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %2 = stablehlo.reduce(%1 init: %low) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  %3 = stablehlo.convert %2 : (tensor<f32>) -> tensor<bf16>
  return %0, %3 : tensor<8x4xf32>, tensor<bf16>
}

// A reduction along one dimension only is not pointwise: declined.
// CHECK-LABEL: func.func @row_reduction_stays
func.func @row_reduction_stays(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>) -> tensor<8xf32> {
  // CHECK: %[[G:.*]] = plan.gemm
  // CHECK: }
  // CHECK: stablehlo.reduce(%[[G]]
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// A full reduction that begins with a value known only at run time: declined.
// CHECK-LABEL: func.func @reduction_from_an_argument_stays
func.func @reduction_from_an_argument_stays(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>, %low: tensor<f32>) -> tensor<f32> {
  // CHECK: %[[G:.*]] = plan.gemm
  // CHECK: }
  // CHECK: stablehlo.reduce(%[[G]]
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.reduce(%0 init: %low) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// A scalar result that bounds a larger tensor doesn't have that tensor's shape: declined.
// CHECK-LABEL: func.func @consumer_of_another_shape_stays
func.func @consumer_of_another_shape_stays(%x: tensor<16xf32>, %y: tensor<16xf32>, %z: tensor<8xf32>, %h: tensor<f32>) -> tensor<8xf32> {
  // CHECK: %[[G:.*]] = plan.gemm
  // CHECK: }
  // CHECK: stablehlo.clamp %[[G]]
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0] : (tensor<16xf32>, tensor<16xf32>) -> tensor<f32>
  %1 = stablehlo.clamp %0, %z, %h : (tensor<f32>, tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// An operation can't join the kernel if its other operand depends on the kernel's result: declined.
// CHECK-LABEL: func.func @cycle_stays
func.func @cycle_stays(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>) -> tensor<8x4xf32> {
  // CHECK: %[[G:.*]] = plan.gemm
  // CHECK: }
  // CHECK: %[[R:.*]] = stablehlo.reduce(%[[G]]
  // CHECK: stablehlo.subtract %[[G]]
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<8xf32>) -> tensor<8x4xf32>
  %3 = stablehlo.subtract %0, %2 : tensor<8x4xf32>
  return %3 : tensor<8x4xf32>
}

// An operation that reads the result in two orders stays outside, since it needs more than one element of the result.
// CHECK-LABEL: func.func @two_orders_stay
func.func @two_orders_stay(%x: tensor<4x16xf32>, %y: tensor<16x4xf32>) -> tensor<4x4xf32> {
  // CHECK: %[[G:.*]] = plan.gemm
  // CHECK: %[[D:.*]] = stablehlo.dot_general
  // CHECK-NEXT: plan.yield %[[D]]
  // CHECK: %[[T:.*]] = stablehlo.transpose %[[G]]
  // CHECK-NEXT: stablehlo.subtract %[[G]], %[[T]]
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.subtract %0, %1 : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// An operation that reads the result in two orders also stays outside if a reshape hides this. Operations that read one order join.
// CHECK-LABEL: func.func @two_orders_of_one_shape_stay
func.func @two_orders_of_one_shape_stay(%x: tensor<6x16xf32>, %y: tensor<16x4xf32>) -> tensor<6x4xf32> {
  // CHECK: plan.gemm
  // CHECK: stablehlo.dot_general
  // CHECK: stablehlo.abs
  // CHECK: plan.yield
  // CHECK-NEXT: }
  // CHECK: stablehlo.subtract
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<6x16xf32>, tensor<16x4xf32>) -> tensor<6x4xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
  %2 = stablehlo.abs %1 : tensor<4x6xf32>
  %3 = stablehlo.reshape %2 : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %4 = stablehlo.subtract %0, %3 : tensor<6x4xf32>
  return %4 : tensor<6x4xf32>
}

// Operations that read the result in the same order join, even if they read it through different operations.
// CHECK-LABEL: func.func @one_order_joins
func.func @one_order_joins(%x: tensor<6x16xf32>, %y: tensor<16x4xf32>) -> (tensor<6x4xf32>, tensor<3x2x4xf32>) {
  // CHECK: %{{.*}}:2 = plan.gemm
  // CHECK: %[[D:.*]] = stablehlo.dot_general
  // CHECK: stablehlo.subtract %[[D]]
  // CHECK: stablehlo.multiply
  // CHECK: plan.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: return
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<6x16xf32>, tensor<16x4xf32>) -> tensor<6x4xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
  %2 = stablehlo.abs %1 : tensor<4x6xf32>
  %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %4 = stablehlo.subtract %0, %3 : tensor<6x4xf32>
  %5 = stablehlo.reshape %2 : (tensor<4x6xf32>) -> tensor<4x3x2xf32>
  %6 = stablehlo.transpose %5, dims = [1, 2, 0] : (tensor<4x3x2xf32>) -> tensor<3x2x4xf32>
  %7 = stablehlo.reshape %0 : (tensor<6x4xf32>) -> tensor<3x2x4xf32>
  %8 = stablehlo.multiply %6, %7 : tensor<3x2x4xf32>
  return %4, %8 : tensor<6x4xf32>, tensor<3x2x4xf32>
}

// Reductions over all elements join whatever the order in which they read the result.
// CHECK-LABEL: func.func @reductions_of_both_orders
func.func @reductions_of_both_orders(%x: tensor<4x16xf32>, %y: tensor<16x4xf32>, %b: tensor<4x4xf32>) -> (tensor<f32>, tensor<f32>) {
  // CHECK: %{{.*}}:2 = plan.gemm
  // CHECK: plan.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: return
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.add %1, %b : tensor<4x4xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
  %4 = stablehlo.reduce(%0 init: %zero) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
  return %3, %4 : tensor<f32>, tensor<f32>
}

// A barrier after the dot prevents an epilogue.
// CHECK-LABEL: func.func @barrier_after
func.func @barrier_after(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>) -> tensor<8x4xf32> {
  // CHECK: %[[G:.*]] = plan.gemm
  // CHECK: }
  // CHECK: %[[B:.*]] = stablehlo.optimization_barrier %[[G]]
  // CHECK: stablehlo.negate %[[B]]
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.optimization_barrier %0 : tensor<8x4xf32>
  %2 = stablehlo.negate %1 : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// Prologue: a dequantization and a transpose are computed while the operands are packed.
// CHECK-LABEL: func.func @prologue
// CHECK-SAME: %[[X:.*]]: tensor<8x16xf8E4M3FN>, %[[Y:.*]]: tensor<4x16xf32>, %[[S:.*]]: tensor<f32>
func.func @prologue(%x: tensor<8x16xf8E4M3FN>, %y: tensor<4x16xf32>, %scale: tensor<f32>) -> tensor<8x4xf32> {
  // CHECK-NEXT: plan.gemm(
  // CHECK-DAG: = %[[X]] : tensor<8x16xf8E4M3FN>
  // CHECK-DAG: stablehlo.convert
  // CHECK-DAG: stablehlo.multiply
  // CHECK-DAG: stablehlo.transpose
  // CHECK: stablehlo.dot_general
  // CHECK: }
  // CHECK-NEXT: return
  %0 = stablehlo.convert %x : (tensor<8x16xf8E4M3FN>) -> tensor<8x16xf32>
  %1 = stablehlo.broadcast_in_dim %scale, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<8x16xf32>
  %3 = stablehlo.transpose %y, dims = [1, 0] : (tensor<4x16xf32>) -> tensor<16x4xf32>
  %4 = stablehlo.dot_general %2, %3, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %4 : tensor<8x4xf32>
}

// A conversion from fewer bytes is recomputed instead of stored: both dots read the narrow elements.
// CHECK-LABEL: func.func @shared_conversion_is_repeated
// CHECK-SAME: %[[X:.*]]: tensor<8x16xf8E4M3FN>
func.func @shared_conversion_is_repeated(%x: tensor<8x16xf8E4M3FN>, %y: tensor<16x4xf32>, %z: tensor<16x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  // CHECK-NEXT: plan.gemm({{.*}}= %[[X]] :
  // CHECK: stablehlo.convert
  // CHECK: plan.gemm({{.*}}= %[[X]] :
  // CHECK: stablehlo.convert
  // CHECK: return
  %0 = stablehlo.convert %x : (tensor<8x16xf8E4M3FN>) -> tensor<8x16xf32>
  %1 = stablehlo.dot_general %0, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %2 = stablehlo.dot_general %0, %z, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %1, %2 : tensor<8x4xf32>, tensor<8x4xf32>
}

// A producer that other operations need in memory: declined.
// CHECK-LABEL: func.func @shared_producer_stays
func.func @shared_producer_stays(%x: tensor<512x512xf32>, %w: tensor<512x512xf32>, %y: tensor<512x4xf32>) -> (tensor<512x4xf32>, tensor<512x512xf32>) {
  // CHECK-NEXT: %[[N:.*]] = stablehlo.add
  // CHECK-NEXT: plan.gemm({{.*}}= %[[N]] :
  %0 = stablehlo.add %x, %w : tensor<512x512xf32>
  %1 = stablehlo.dot_general %0, %y, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x4xf32>) -> tensor<512x4xf32>
  return %1, %0 : tensor<512x4xf32>, tensor<512x512xf32>
}

// An expensive producer would be computed once for each tile: declined.
// CHECK-LABEL: func.func @dear_producer_stays
func.func @dear_producer_stays(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>) -> tensor<8x4xf32> {
  // CHECK-NEXT: %[[E:.*]] = stablehlo.exponential
  // CHECK-NEXT: plan.gemm({{.*}}= %[[E]] :
  %0 = stablehlo.exponential %x : tensor<8x16xf32>
  %1 = stablehlo.dot_general %0, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// A reduction before the dot is stored in memory: declined.
// CHECK-LABEL: func.func @reduction_before_stays
func.func @reduction_before_stays(%x: tensor<8x16x3xf32>, %y: tensor<16x4xf32>) -> tensor<8x4xf32> {
  // CHECK: %[[R:.*]] = stablehlo.reduce
  // CHECK: plan.gemm({{.*}}= %[[R]] :
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<8x16x3xf32>, tensor<f32>) -> tensor<8x16xf32>
  %1 = stablehlo.dot_general %0, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// A barrier before the dot prevents a prologue.
// CHECK-LABEL: func.func @barrier_before
func.func @barrier_before(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>) -> tensor<8x4xf32> {
  // CHECK-NEXT: stablehlo.negate
  // CHECK-NEXT: %[[B:.*]] = stablehlo.optimization_barrier
  // CHECK-NEXT: plan.gemm({{.*}}= %[[B]] :
  %0 = stablehlo.negate %x : tensor<8x16xf32>
  %1 = stablehlo.optimization_barrier %0 : tensor<8x16xf32>
  %2 = stablehlo.dot_general %1, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// Two consecutive dots become two kernels. Operations between them are in one of the kernels.
// CHECK-LABEL: func.func @two_dots
func.func @two_dots(%x: tensor<8x16xf32>, %y: tensor<16x16xf32>, %z: tensor<16x4xf32>) -> tensor<8x4xf32> {
  // CHECK-NEXT: %[[G:.*]] = plan.gemm
  // CHECK: stablehlo.dot_general
  // CHECK-NEXT: stablehlo.negate
  // CHECK: plan.gemm({{.*}}= %[[G]] :
  // CHECK: }
  // CHECK-NEXT: return
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.negate %0 : tensor<8x16xf32>
  %2 = stablehlo.dot_general %1, %z, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// Dots inside loops become kernels. Values from outside the loop's body are inputs of these kernels.
// CHECK-LABEL: func.func @inside_a_loop
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<8x8xf32>, %[[Y:[a-z0-9]+]]: tensor<8x8xf32>
func.func @inside_a_loop(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>, %p: tensor<i1>) -> tensor<8x8xf32> {
  // CHECK: do {
  // CHECK-NEXT: plan.gemm({{.*}}= %[[Y]] :
  // CHECK: stablehlo.dot_general
  // CHECK-NEXT: stablehlo.negate
  %0:2 = stablehlo.while(%v = %x, %q = %p) : tensor<8x8xf32>, tensor<i1>
  cond {
    stablehlo.return %q : tensor<i1>
  } do {
    %1 = stablehlo.dot_general %v, %y, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = stablehlo.negate %1 : tensor<8x8xf32>
    stablehlo.return %2, %q : tensor<8x8xf32>, tensor<i1>
  }
  return %0#0 : tensor<8x8xf32>
}

// A quantized value that two GEMMs read is stored quantized, and both GEMMs dequantize it.
// CHECK-LABEL: func.func @narrow_between_products
func.func @narrow_between_products(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %s: tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  // CHECK-NEXT: %[[G:.*]] = plan.gemm
  // CHECK: stablehlo.dot_general
  // CHECK-NEXT: %[[Q:.*]] = stablehlo.convert
  // CHECK-NEXT: plan.yield %[[Q]] : tensor<64x64xf8E4M3FN>
  // CHECK: plan.gemm({{.*}}= %[[G]] : tensor<64x64xf8E4M3FN>
  // CHECK: plan.gemm({{.*}}= %[[G]] : tensor<64x64xf8E4M3FN>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.convert %0 : (tensor<64x64xf32>) -> tensor<64x64xf8E4M3FN>
  %2 = stablehlo.convert %1 : (tensor<64x64xf8E4M3FN>) -> tensor<64x64xf32>
  %3 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
  %4 = stablehlo.multiply %2, %3 : tensor<64x64xf32>
  %5 = stablehlo.dot_general %4, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %6 = stablehlo.dot_general %4, %w, contracting_dims = [0] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %5, %6 : tensor<64x64xf32>, tensor<64x64xf32>
}

// If the dequantized value is also a result, the kernel that computes the narrow value computes it too.
// CHECK-LABEL: func.func @wide_is_asked_for
func.func @wide_is_asked_for(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  // CHECK-NEXT: %[[G:.*]] = plan.gemm
  // CHECK: plan.yield {{.*}} : tensor<64x64xf32>
  // CHECK: plan.gemm({{.*}}= %[[G]] : tensor<64x64xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.convert %0 : (tensor<64x64xf32>) -> tensor<64x64xf8E4M3FN>
  %2 = stablehlo.convert %1 : (tensor<64x64xf8E4M3FN>) -> tensor<64x64xf32>
  %3 = stablehlo.dot_general %2, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2, %3 : tensor<64x64xf32>, tensor<64x64xf32>
}

// A predicate of one element selects between tensors of another rank.
// CHECK-LABEL: func.func @one_element
// CHECK: plan.gemm
// CHECK: stablehlo.dot_general
// CHECK: stablehlo.compare
// CHECK: stablehlo.select
// CHECK: plan.yield
func.func @one_element(%x: tensor<8xf32>, %zero: tensor<f32>, %a: tensor<1x1xf32>, %b: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
  %1 = stablehlo.compare GT, %0, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %2 = stablehlo.select %1, %a, %b : tensor<i1>, tensor<1x1xf32>
  return %2 : tensor<1x1xf32>
}

// A GEMM with weights absorbs the end of a norm over rows. In a transformer, the end stays with the sums.
// CHECK-LABEL: func.func @norm
// CHECK: stablehlo.reduce
// CHECK: plan.gemm
// CHECK-NOT: plan.yield
// CHECK: stablehlo.multiply
// TRANSFORMER-LABEL: func.func @norm
// TRANSFORMER: %[[N:.*]] = stablehlo.multiply %arg0, %{{[0-9]+}}
// TRANSFORMER: plan.gemm(%[[A:.*]] = %[[N]] :
// TRANSFORMER-NEXT: stablehlo.dot_general %[[A]]
// UNET-LABEL: func.func @norm
// UNET: plan.gemm
// UNET-NOT: plan.yield
// UNET: stablehlo.multiply
func.func @norm(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.multiply %x, %x : tensor<8x16xf32>
  %q = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
  %r = stablehlo.rsqrt %q : tensor<8xf32>
  %b = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<8xf32>) -> tensor<8x16xf32>
  %n = stablehlo.multiply %x, %b : tensor<8x16xf32>
  %d = stablehlo.dot_general %n, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %d : tensor<8x4xf32>
}

// A batched GEMM, as in attention, absorbs the end of a softmax. It does so in a transformer too.
// TRANSFORMER-LABEL: func.func @weights_of_attention
// TRANSFORMER: plan.gemm
// TRANSFORMER-NOT: plan.yield
// TRANSFORMER: stablehlo.divide
func.func @weights_of_attention(%e: tensor<2x8x16xf32>, %v: tensor<2x16x4xf32>) -> tensor<2x8x4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %q = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x8x16xf32>, tensor<f32>) -> tensor<2x8xf32>
  %b = stablehlo.broadcast_in_dim %q, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x16xf32>
  %p = stablehlo.divide %e, %b : tensor<2x8x16xf32>
  %d = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x16xf32>, tensor<2x16x4xf32>) -> tensor<2x8x4xf32>
  return %d : tensor<2x8x4xf32>
}

// Scaling a whole tensor by its largest magnitude is not a norm over rows.
// TRANSFORMER-LABEL: func.func @scaled_as_a_whole
// TRANSFORMER: plan.gemm
// TRANSFORMER-NOT: plan.yield
// TRANSFORMER: stablehlo.divide
func.func @scaled_as_a_whole(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %low = stablehlo.constant dense<0.0> : tensor<f32>
  %q = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<f32>
  %b = stablehlo.broadcast_in_dim %q, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
  %n = stablehlo.divide %x, %b : tensor<8x16xf32>
  %d = stablehlo.dot_general %n, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %d : tensor<8x4xf32>
}

// In a U-Net the activation before a convolution is computed once, if its window has several positions.
// CHECK-LABEL: func.func @activated_window
// CHECK: plan.gemm
// CHECK-NOT: plan.yield
// CHECK: stablehlo.multiply
// UNET-LABEL: func.func @activated_window
// UNET: %[[N:.*]] = stablehlo.multiply %arg0
// UNET: plan.gemm(%[[A:.*]] = %[[N]] :
// UNET-NEXT: stablehlo.convolution(%[[A]]
func.func @activated_window(%x: tensor<1x8x8x3xf32>, %g: tensor<1x8x8x3xf32>, %y: tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32> {
  %n = stablehlo.multiply %x, %g : tensor<1x8x8x3xf32>
  %0 = stablehlo.convolution(%n, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
  return %0 : tensor<1x6x6x4xf32>
}

// UNET-LABEL: func.func @activated_point
// UNET: plan.gemm
// UNET-NOT: plan.yield
// UNET: stablehlo.multiply
func.func @activated_point(%x: tensor<1x8x8x3xf32>, %g: tensor<1x8x8x3xf32>, %y: tensor<1x1x3x4xf32>) -> tensor<1x8x8x4xf32> {
  %n = stablehlo.multiply %x, %g : tensor<1x8x8x3xf32>
  %0 = stablehlo.convolution(%n, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<1x1x3x4xf32>) -> tensor<1x8x8x4xf32>
  return %0 : tensor<1x8x8x4xf32>
}

// Each step of a chain reads the previous step at two indices. GEMMs compute the last steps, at up to four indices, since each index needs
// separate code.
// CHECK-LABEL: func.func @doubling_chain
// CHECK: %[[R:.*]] = stablehlo.reverse %arg0
// CHECK-NEXT: %[[S:.*]] = stablehlo.add %arg0, %[[R]]
// CHECK: %[[T:.*]] = stablehlo.add
// CHECK-NEXT: plan.gemm(%{{.*}} = %[[T]] : tensor<8x16xf32>
// CHECK-COUNT-3: stablehlo.add
// CHECK-NOT: stablehlo.add
// CHECK: stablehlo.dot_general
func.func @doubling_chain(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<8x16xf32>
  %1 = stablehlo.add %x, %0 : tensor<8x16xf32>
  %2 = stablehlo.reverse %1, dims = [1] : tensor<8x16xf32>
  %3 = stablehlo.add %1, %2 : tensor<8x16xf32>
  %4 = stablehlo.reverse %3, dims = [0] : tensor<8x16xf32>
  %5 = stablehlo.add %3, %4 : tensor<8x16xf32>
  %6 = stablehlo.reverse %5, dims = [1] : tensor<8x16xf32>
  %7 = stablehlo.add %5, %6 : tensor<8x16xf32>
  %8 = stablehlo.reverse %7, dims = [0] : tensor<8x16xf32>
  %9 = stablehlo.add %7, %8 : tensor<8x16xf32>
  %d = stablehlo.dot_general %9, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %d : tensor<8x4xf32>
}
