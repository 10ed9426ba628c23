// RUN: drumlin-opt %s | FileCheck %s
// RUN: drumlin-opt %s --mlir-print-op-generic | drumlin-opt | FileCheck %s

// Convolutions are printed as they were read.

// Convolutions with all window attributes, with none of them, and without spatial dimensions.
// CHECK-LABEL: func.func @convolution
func.func @convolution(%a: tensor<4x8x8x2xf32>, %b: tensor<3x3x2x6xf32>, %c: tensor<4x2xf32>, %d: tensor<2x6xf32>) {
  // CHECK: stablehlo.convolution(%{{.*}}, %{{.*}}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = {{\[\[}}0, 1], [1, 1{{\]\]}}, lhs_dilate = [1, 2], rhs_dilate = [2, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGH>]} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x3x15x6xf32>
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[0, 1], [1, 1]], lhs_dilate = [1, 2], rhs_dilate = [2, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGH>]} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<4x3x15x6xf32>
  // CHECK: stablehlo.convolution(%{{.*}}, %{{.*}}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[f, b, 1, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<6x4x6x6xf32>
  %1 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[f, b, 1, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x2xf32>, tensor<3x3x2x6xf32>) -> tensor<6x4x6x6xf32>
  // CHECK: stablehlo.convolution(%{{.*}}, %{{.*}}) dim_numbers = [b, f]x[i, o]->[b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x2xf32>, tensor<2x6xf32>) -> tensor<4x6xf32>
  %2 = stablehlo.convolution(%c, %d) dim_numbers = [b, f]x[i, o]->[b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x2xf32>, tensor<2x6xf32>) -> tensor<4x6xf32>
  return
}

// Older printers wrote window reversals as numbers.
// CHECK-LABEL: func.func @numbers
func.func @numbers(%a: tensor<1x6x2xf32>, %b: tensor<3x2x4xf32>) {
  // CHECK: window = {reverse = [true]}
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {reverse = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x2xf32>, tensor<3x2x4xf32>) -> tensor<1x4x4xf32>
  // CHECK: window = {stride = [1], pad = {{\[\[}}0, 0{{\]\]}}, lhs_dilate = [1], rhs_dilate = [1], reverse = [false]}
  %1 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[0, 0]], lhs_dilate = [1], rhs_dilate = [1], reverse = [0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x2xf32>, tensor<3x2x4xf32>) -> tensor<1x4x4xf32>
  return
}
