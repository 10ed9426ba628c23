// RUN: drumlin-opt --auto-cast="mode=matmult type=bf16" %s | FileCheck %s --check-prefixes=CHECK,BF16
// RUN: drumlin-opt --auto-cast="mode=matmult type=tf32" %s | FileCheck %s --check-prefixes=CHECK,TF32
// RUN: drumlin-opt --auto-cast="mode=matmult type=fp8_e4m3" %s | FileCheck %s --check-prefixes=CHECK,FP8
// RUN: drumlin-opt --auto-cast="mode=all type=fp16" %s | FileCheck %s --check-prefix=ALL
// RUN: drumlin-opt --auto-cast="mode=matmult type=fp8_e4m3 mark-roundings" %s | FileCheck %s --check-prefix=MARK8
// RUN: drumlin-opt --auto-cast="mode=all type=fp16 mark-roundings" %s | FileCheck %s --check-prefix=MARK16

// If the program is compiled to measure roundings, each rounding is marked. A clamp, which saturates, or a conversion names the operand
// that it rounds. Operations that compute in the narrower type are marked as rounding their result. Otherwise nothing is marked.
// MARK8-LABEL: @dense
// MARK8: stablehlo.clamp %{{.*}}, %arg0, %{{.*}} {rounding.operand = 0 : i64, rounding.operation = "stablehlo.dot_general"}
// MARK8-NEXT: stablehlo.convert %{{[0-9]+}} :
// MARK8: stablehlo.clamp %{{.*}}, %arg1, %{{.*}} {rounding.operand = 1 : i64, rounding.operation = "stablehlo.dot_general"}
// MARK16-LABEL: @dense
// MARK16: stablehlo.convert %arg0 {rounding.operand = 0 : i64, rounding.operation = "stablehlo.dot_general"}
// MARK16: stablehlo.tanh %{{.*}} {rounding.operand = -1 : i64, rounding.operation = "stablehlo.tanh"}
// CHECK-NOT: rounding.operand
// ALL-NOT: rounding.operand

// CHECK-LABEL: @dense
// BF16: %[[A:.*]] = stablehlo.convert %arg0 : (tensor<2x3xf32>) -> tensor<2x3xbf16>
// BF16: %[[B:.*]] = stablehlo.convert %arg1 : (tensor<3x4xf32>) -> tensor<3x4xbf16>
// BF16: stablehlo.dot_general %[[A]], %[[B]], {{.*}} -> tensor<2x4xf32>
// TF32: %[[A:.*]] = stablehlo.reduce_precision %arg0, format = e8m10
// TF32: stablehlo.dot_general %[[A]], {{.*}} (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
// FP8: %[[C:.*]] = stablehlo.clamp %{{.*}}, %arg0, %{{.*}}
// FP8: %[[A:.*]] = stablehlo.convert %[[C]] : (tensor<2x3xf32>) -> tensor<2x3xf8E4M3FN>
// FP8: stablehlo.dot_general %[[A]], {{.*}} -> tensor<2x4xf32>
// CHECK: stablehlo.tanh %{{.*}} : tensor<2x4xf32>
// ALL-LABEL: @dense
// ALL: stablehlo.dot_general {{.*}} (tensor<2x3xf16>, tensor<3x4xf16>) -> tensor<2x4xf32>
// ALL: stablehlo.tanh %{{.*}} : tensor<2x4xf16>
// ALL: stablehlo.reduce({{.*}}applies stablehlo.add {{.*}} (tensor<2x4xf32>
func.func @dense(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> tensor<2xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.tanh %0 : tensor<2x4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// Dots inside loops are converted too; dots of other types stay.
// CHECK-LABEL: @loop
// CHECK: stablehlo.while
// BF16: stablehlo.dot_general {{.*}} (tensor<2x2xbf16>, tensor<2x2xbf16>) -> tensor<2x2xf32>
// FP8: stablehlo.dot_general {{.*}} (tensor<2x2xf8E4M3FN>, tensor<2x2xf8E4M3FN>) -> tensor<2x2xf32>
// CHECK: stablehlo.dot_general {{.*}} (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
func.func @loop(%x: tensor<2x2xf32>, %y: tensor<2x2xf64>) -> (tensor<2x2xf32>, tensor<2x2xf64>) {
  %go = stablehlo.constant dense<false> : tensor<i1>
  %0 = stablehlo.while(%a = %x) : tensor<2x2xf32>
    cond { stablehlo.return %go : tensor<i1> }
    do { %1 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
         stablehlo.return %1 : tensor<2x2xf32> }
  %2 = stablehlo.dot_general %y, %y, contracting_dims = [1] x [0] : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  return %0, %2 : tensor<2x2xf32>, tensor<2x2xf64>
}
