// RUN: drumlin-opt %s | FileCheck %s
// RUN: drumlin-opt %s --mlir-print-op-generic | drumlin-opt | FileCheck %s

// Quantized tensors are printed as they were read.

// Conversions to and from tensors that are quantized per tensor or per axis, and to another scale.
// CHECK-LABEL: func.func @quantize
func.func @quantize(%x: tensor<3x2xf32>, %q: tensor<3x2x!quant.uniform<i8:f32, 2.000000e+00:15>>, %a: tensor<3x2x!quant.uniform<i8:f32:1, {2.000000e+00:15,3.000000e+00}>>) {
  // CHECK: stablehlo.uniform_quantize %{{.*}} : (tensor<3x2xf32>) -> tensor<3x2x!quant.uniform<i8:f32, 2.000000e+00:15>>
  %0 = stablehlo.uniform_quantize %x : (tensor<3x2xf32>) -> tensor<3x2x!quant.uniform<i8:f32, 2.000000e+00:15>>
  // CHECK: stablehlo.uniform_quantize %{{.*}} : (tensor<3x2x!quant.uniform<i8:f32, 2.000000e+00:15>>) -> tensor<3x2x!quant.uniform<i8:f32, 4.000000e+00>>
  %1 = stablehlo.uniform_quantize %q : (tensor<3x2x!quant.uniform<i8:f32, 2.000000e+00:15>>) -> tensor<3x2x!quant.uniform<i8:f32, 4.000000e+00>>
  // CHECK: stablehlo.uniform_dequantize %{{.*}} : (tensor<3x2x!quant.uniform<i8:f32:1, {2.000000e+00:15,3.000000e+00}>>) -> tensor<3x2xf32>
  %2 = stablehlo.uniform_dequantize %a : (tensor<3x2x!quant.uniform<i8:f32:1, {2.000000e+00:15,3.000000e+00}>>) -> tensor<3x2xf32>
  // CHECK: stablehlo.add %{{.*}}, %{{.*}} : tensor<3x2x!quant.uniform<i8:f32, 2.000000e+00:15>>
  %3 = stablehlo.add %q, %q : tensor<3x2x!quant.uniform<i8:f32, 2.000000e+00:15>>
  // CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<3x2x!quant.uniform<i8:f32:1, {2.000000e+00:15,3.000000e+00}>>) -> tensor<2x3x!quant.uniform<i8:f32:0, {2.000000e+00:15,3.000000e+00}>>
  %4 = stablehlo.transpose %a, dims = [1, 0] : (tensor<3x2x!quant.uniform<i8:f32:1, {2.000000e+00:15,3.000000e+00}>>) -> tensor<2x3x!quant.uniform<i8:f32:0, {2.000000e+00:15,3.000000e+00}>>
  return
}
