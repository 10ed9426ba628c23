// RUN: drumlin-opt %s -split-input-file --lower-quantized | FileCheck %s

// Callers pass stored integers, and the types that arguments have in the program are kept as attributes. Integers whose scales are powers
// of two are multiplied directly. The left zero point's contribution is subtracted from each sum, which is then scaled once.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[A:.*]]: tensor<4x8xi8> {plan.quantized = tensor<4x8x!quant.uniform<i8:f32, 1.250000e-01:3>>},
// CHECK-SAME: %[[B:.*]]: tensor<8x2xi8> {plan.quantized = tensor<8x2x!quant.uniform<i8:f32:1, {5.000000e-01,2.500000e-01}>>})
// CHECK-SAME: -> (tensor<4x2xi8> {plan.quantized = tensor<4x2x!quant.uniform<i8:f32, 3.000000e-01:-4>>})
// CHECK: %[[D:.*]] = stablehlo.dot_general %[[A]], %[[B]], contracting_dims = [1] x [0] : (tensor<4x8xi8>, tensor<8x2xi8>) -> tensor<4x2xi32>
// CHECK: %[[S:.*]] = stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [0] : (tensor<8x2xi32>, tensor<i32>) -> tensor<2xi32>
// CHECK: %[[P:.*]] = stablehlo.multiply %[[S]], %{{.*}} : tensor<2xi32>
// CHECK: %[[T:.*]] = stablehlo.broadcast_in_dim %[[P]], dims = [1] : (tensor<2xi32>) -> tensor<4x2xi32>
// CHECK: %[[E:.*]] = stablehlo.subtract %[[D]], %[[T]] : tensor<4x2xi32>
// CHECK: stablehlo.convert %[[E]] : (tensor<4x2xi32>) -> tensor<4x2xf32>
// CHECK: stablehlo.constant dense<[6.250000e-02, 3.125000e-02]> : tensor<2xf32>
// CHECK: stablehlo.divide
// CHECK: stablehlo.round_nearest_even
// CHECK: stablehlo.convert %{{.*}} : (tensor<4x2xf32>) -> tensor<4x2xi8>
func.func @main(%a: tensor<4x8x!quant.uniform<i8:f32, 0.125:3>>, %b: tensor<8x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> tensor<4x2x!quant.uniform<i8:f32, 0.3:-4>> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8x!quant.uniform<i8:f32, 0.125:3>>, tensor<8x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>) -> tensor<4x2x!quant.uniform<i8:f32, 0.3:-4>>
  return %0 : tensor<4x2x!quant.uniform<i8:f32, 0.3:-4>>
}

// -----

// The scale 0.1 has 24 significant bits. So the expressed numbers are rounded, and these rounded numbers are summed.
// CHECK-LABEL: func.func @rounded_elements
// CHECK: stablehlo.multiply %{{.*}} : tensor<4x8xf32>
// CHECK: stablehlo.dot_general %{{.*}} : (tensor<4x8xf64>, tensor<8x2xf64>) -> tensor<4x2xf64>
// CHECK: stablehlo.convert %{{.*}} : (tensor<4x2xf64>) -> tensor<4x2xf32>
func.func @rounded_elements(%a: tensor<4x8x!quant.uniform<i8:f32, 0.1>>, %b: tensor<8x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<4x2x!quant.uniform<i8:f32, 0.3>> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8x!quant.uniform<i8:f32, 0.1>>, tensor<8x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<4x2x!quant.uniform<i8:f32, 0.3>>
  return %0 : tensor<4x2x!quant.uniform<i8:f32, 0.3>>
}

// -----

// If only the weights are quantized, the dot is a dot of floats.
// CHECK-LABEL: func.func @hybrid(
// CHECK-SAME: %[[A:.*]]: tensor<4x8xf32>, %{{.*}}: tensor<8x2xi8>
// CHECK: %[[W:.*]] = stablehlo.multiply
// CHECK: stablehlo.dot_general %[[A]], %[[W]], contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
func.func @hybrid(%a: tensor<4x8xf32>, %b: tensor<8x2x!quant.uniform<i8:f32, 0.1>>) -> tensor<4x2xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x2x!quant.uniform<i8:f32, 0.1>>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// A convolution's padding must be the zero point.
// CHECK-LABEL: func.func @convolution(
// CHECK-SAME: %[[A:.*]]: tensor<1x8x2xui8> {{.*}}, %[[B:.*]]: tensor<3x2x4xui8>
// CHECK: %[[Z:.*]] = stablehlo.constant dense<128> : tensor<ui8>
// CHECK: %[[P:.*]] = stablehlo.pad %[[A]], %[[Z]], low = [0, 1, 0], high = [0, 2, 0], interior = [0, 1, 0] : (tensor<1x8x2xui8>, tensor<ui8>) -> tensor<1x18x2xui8>
// CHECK: stablehlo.convolution(%[[P]], %[[B]]) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {}
// CHECK-SAME: (tensor<1x18x2xui8>, tensor<3x2x4xui8>) -> tensor<1x16x4xi32>
// CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x2x4xi32>, tensor<i32>) -> tensor<4xi32>
func.func @convolution(%a: tensor<1x8x2x!quant.uniform<u8:f32, 0.5:128>>, %b: tensor<3x2x4x!quant.uniform<u8:f32, 0.25>>) -> tensor<1x16x4x!quant.uniform<u8:f32, 1.0>> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 2]], lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x2x!quant.uniform<u8:f32, 0.5:128>>, tensor<3x2x4x!quant.uniform<u8:f32, 0.25>>) -> tensor<1x16x4x!quant.uniform<u8:f32, 1.0>>
  return %0 : tensor<1x16x4x!quant.uniform<u8:f32, 1.0>>
}

// -----

// Larger numbers are expressed by larger integers. A sum is rounded and clamped at each step.
// CHECK-LABEL: func.func @reductions
// CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.maximum across dimensions = [0] : (tensor<8xui8>, tensor<ui8>) -> tensor<ui8>
// CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) across dimensions = [0] : (tensor<8xui8>, tensor<ui8>) -> tensor<ui8>
// CHECK-NEXT: reducer(%{{.*}}: tensor<ui8>, %{{.*}}: tensor<ui8>)
// CHECK: stablehlo.add %{{.*}} : tensor<f32>
// CHECK: stablehlo.return %{{.*}} : tensor<ui8>
func.func @reductions(%a: tensor<8x!quant.uniform<u8:f32, 0.1:128>>, %z: tensor<!quant.uniform<u8:f32, 0.1:128>>) -> (tensor<!quant.uniform<u8:f32, 0.1:128>>, tensor<!quant.uniform<u8:f32, 0.1:128>>) {
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.maximum across dimensions = [0] : (tensor<8x!quant.uniform<u8:f32, 0.1:128>>, tensor<!quant.uniform<u8:f32, 0.1:128>>) -> tensor<!quant.uniform<u8:f32, 0.1:128>>
  %1 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<8x!quant.uniform<u8:f32, 0.1:128>>, tensor<!quant.uniform<u8:f32, 0.1:128>>) -> tensor<!quant.uniform<u8:f32, 0.1:128>>
  return %0, %1 : tensor<!quant.uniform<u8:f32, 0.1:128>>, tensor<!quant.uniform<u8:f32, 0.1:128>>
}

// -----

// Arithmetic clamps elements beyond the type's bounds, which a caller may pass. Operations on integers alone don't clamp them.
// CHECK-LABEL: func.func @bounded
// CHECK: stablehlo.maximum %{{.*}} : tensor<4xf32>
func.func @bounded(%a: tensor<4x!quant.uniform<i8<-7:7>:f32, 0.5>>) -> tensor<4x!quant.uniform<i8<-7:7>:f32, 0.5>> {
  %0 = stablehlo.maximum %a, %a : tensor<4x!quant.uniform<i8<-7:7>:f32, 0.5>>
  return %0 : tensor<4x!quant.uniform<i8<-7:7>:f32, 0.5>>
}

// -----

// There is one scale per block, which is repeated for the elements of the block. The storage type has integers beyond the bounds.
// CHECK-LABEL: func.func @blocks
// CHECK: %[[S:.*]] = stablehlo.constant dense<{{\[\[}}5.000000e-01, 1.000000e+00], [2.000000e+00, 2.500000e-01]]> : tensor<2x2xbf16>
// CHECK: %[[T:.*]] = stablehlo.broadcast_in_dim %[[S]], dims = [0, 2] : (tensor<2x2xbf16>) -> tensor<2x2x2x3xbf16>
// CHECK: %[[U:.*]] = stablehlo.reshape %[[T]] : (tensor<2x2x2x3xbf16>) -> tensor<4x6xbf16>
// CHECK: stablehlo.divide %{{.*}}, %[[U]] : tensor<4x6xbf16>
// CHECK: %[[Q:.*]] = stablehlo.convert %{{.*}} : (tensor<4x6xbf16>) -> tensor<4x6xi4>
// CHECK: stablehlo.maximum %[[Q]], %{{.*}} : tensor<4x6xi4>
// CHECK: stablehlo.minimum
func.func @blocks(%a: tensor<4x6xbf16>) -> tensor<4x6x!quant.uniform<i4<-7:7>:bf16:{0:2, 1:3}, {{0.5, 1.0:1}, {2.0, 0.25:-1}}>> {
  %0 = stablehlo.uniform_quantize %a : (tensor<4x6xbf16>) -> tensor<4x6x!quant.uniform<i4<-7:7>:bf16:{0:2, 1:3}, {{0.5, 1.0:1}, {2.0, 0.25:-1}}>>
  return %0 : tensor<4x6x!quant.uniform<i4<-7:7>:bf16:{0:2, 1:3}, {{0.5, 1.0:1}, {2.0, 0.25:-1}}>>
}

// -----

// The difference from the zero point needs more bits than the storage type has. It is rounded once.
// CHECK-LABEL: func.func @wide_storage
// CHECK: stablehlo.convert %{{.*}} : (tensor<4xi32>) -> tensor<4xi64>
// CHECK: stablehlo.subtract %{{.*}} : tensor<4xi64>
// CHECK: stablehlo.convert %{{.*}} : (tensor<4xi64>) -> tensor<4xf32>
func.func @wide_storage(%a: tensor<4x!quant.uniform<i32:f32, 0.5:1000>>) -> tensor<4xf32> {
  %0 = stablehlo.uniform_dequantize %a : (tensor<4x!quant.uniform<i32:f32, 0.5:1000>>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Data movement moves integers, and constants are written as signed integers. Processes that receive nothing get the integer that expresses
// zero.
// CHECK-LABEL: func.func @moves
// CHECK: stablehlo.constant dense<[1, 254]> : tensor<2xui8>
// CHECK: stablehlo.concatenate %{{.*}} : (tensor<2xui8>, tensor<2xui8>) -> tensor<4xui8>
// CHECK: stablehlo.subtract %{{.*}} : tensor<4xui8>
// CHECK: "stablehlo.collective_permute"
// CHECK: stablehlo.add %{{.*}} : tensor<4xui8>
func.func @moves(%a: tensor<2x!quant.uniform<u8:f32, 0.5:7>>) -> tensor<4x!quant.uniform<u8:f32, 0.5:7>> {
  %c = stablehlo.constant() <{value = dense<[1, -2]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<u8:f32, 0.5:7>>
  %0 = stablehlo.concatenate %a, %c, dim = 0 : (tensor<2x!quant.uniform<u8:f32, 0.5:7>>, tensor<2x!quant.uniform<u8:f32, 0.5:7>>) -> tensor<4x!quant.uniform<u8:f32, 0.5:7>>
  %1 = "stablehlo.collective_permute"(%0) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x!quant.uniform<u8:f32, 0.5:7>>) -> tensor<4x!quant.uniform<u8:f32, 0.5:7>>
  return %1 : tensor<4x!quant.uniform<u8:f32, 0.5:7>>
}

// -----

// Regions take and return integers too.
// CHECK-LABEL: func.func @control
// CHECK: "stablehlo.if"
// CHECK: stablehlo.tanh %{{.*}} : tensor<4xf32>
// CHECK: }) : (tensor<i1>) -> tensor<4xi8>
func.func @control(%a: tensor<4x!quant.uniform<i8:f32, 0.1>>, %p: tensor<i1>) -> tensor<4x!quant.uniform<i8:f32, 0.1>> {
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.tanh %a : tensor<4x!quant.uniform<i8:f32, 0.1>>
    stablehlo.return %1 : tensor<4x!quant.uniform<i8:f32, 0.1>>
  }, {
    stablehlo.return %a : tensor<4x!quant.uniform<i8:f32, 0.1>>
  }) : (tensor<i1>) -> tensor<4x!quant.uniform<i8:f32, 0.1>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.1>>
}
