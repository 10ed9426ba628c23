// RUN: drumlin-opt %s | FileCheck %s
// RUN: drumlin-opt %s --mlir-print-op-generic | drumlin-opt | FileCheck %s

// Elementwise operations are printed as they were read; the generic form becomes the short form. Operations
// whose operands and result have one type, without attributes, are in ElementwiseTest.cpp.

// Operations whose results may have a different element type than the operands. If the types differ, the text has both.
// CHECK-LABEL: func.func @other_types
func.func @other_types(%a: tensor<2xf32>, %c: tensor<2xcomplex<f32>>) {
  // CHECK: stablehlo.abs %{{.*}} : tensor<2xf32>
  %0 = stablehlo.abs %a : tensor<2xf32>
  // CHECK: stablehlo.abs %{{.*}} : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %1 = stablehlo.abs %c : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  // CHECK: stablehlo.real %{{.*}} : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %2 = stablehlo.real %c : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  // CHECK: stablehlo.imag %{{.*}} : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %3 = stablehlo.imag %c : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  // CHECK: stablehlo.complex %{{.*}}, %{{.*}} : tensor<2xcomplex<f32>>
  %4 = stablehlo.complex %a, %a : tensor<2xcomplex<f32>>
  // CHECK: stablehlo.is_finite %{{.*}} : (tensor<2xf32>) -> tensor<2xi1>
  %5 = stablehlo.is_finite %a : (tensor<2xf32>) -> tensor<2xi1>
  // CHECK: stablehlo.convert %{{.*}} : (tensor<2xf32>) -> tensor<2xi4>
  %6 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xi4>
  // CHECK: stablehlo.convert %{{.*}} : tensor<2xf32>
  %7 = stablehlo.convert %a : tensor<2xf32>
  // CHECK: stablehlo.reduce_precision %{{.*}}, format = e5m10 : tensor<2xf32>
  %8 = stablehlo.reduce_precision %a, format = e5m10 : tensor<2xf32>
  return
}

// Comparison, clamping and selection, with scalars where they are allowed.
// CHECK-LABEL: func.func @choices
func.func @choices(%a: tensor<2xf32>, %s: tensor<f32>, %p: tensor<i1>, %q: tensor<2xi1>) {
  // CHECK: stablehlo.compare LT, %{{.*}}, %{{.*}}, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %0 = stablehlo.compare LT, %a, %a, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  // CHECK: stablehlo.compare NE, %{{.*}}, %{{.*}}, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %1 = stablehlo.compare NE, %a, %a, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  // CHECK: stablehlo.compare GE, %{{.*}}, %{{.*}} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %2 = stablehlo.compare GE, %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  // CHECK: stablehlo.compare EQ, %{{.*}}, %{{.*}}, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
  %3 = stablehlo.compare EQ, %p, %p, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
  // A comparison type that does not fit the elements is ignored and kept (compare_c3).
  // CHECK: stablehlo.compare EQ, %{{.*}}, %{{.*}}, TOTALORDER : (tensor<i1>, tensor<i1>) -> tensor<i1>
  %stays = stablehlo.compare EQ, %p, %p, TOTALORDER : (tensor<i1>, tensor<i1>) -> tensor<i1>
  // CHECK: stablehlo.clamp %{{.*}}, %{{.*}}, %{{.*}} : tensor<2xf32>
  %4 = stablehlo.clamp %a, %a, %a : tensor<2xf32>
  // CHECK: stablehlo.clamp %{{.*}}, %{{.*}}, %{{.*}} : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %5 = stablehlo.clamp %s, %a, %s : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // CHECK: stablehlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<i1>, tensor<2xf32>
  %6 = stablehlo.select %p, %a, %a : tensor<i1>, tensor<2xf32>
  // CHECK: stablehlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<2xi1>, tensor<2xf32>
  %7 = stablehlo.select %q, %a, %a : tensor<2xi1>, tensor<2xf32>
  return
}

// A transcendental operation may specify an accuracy.
// CHECK-LABEL: func.func @accuracy
func.func @accuracy(%a: tensor<2xf32>) {
  // CHECK: stablehlo.tanh %{{.*}} {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2xf32>
  %0 = stablehlo.tanh %a {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2xf32>
  // CHECK: stablehlo.log %{{.*}} {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>
  %1 = stablehlo.log %a {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>
  return
}

// Attributes of other dialects are kept.
// CHECK-LABEL: func.func @attributes
func.func @attributes(%a: tensor<2xf32>) {
  // CHECK: stablehlo.add %{{.*}}, %{{.*}} {mhlo.frontend_attributes = {x = "1"}} : tensor<2xf32>
  %0 = stablehlo.add %a, %a {mhlo.frontend_attributes = {x = "1"}} : tensor<2xf32>
  return
}

// Every element type of the specification.
// CHECK-LABEL: func.func @element_types
func.func @element_types(%a0: tensor<2xi1>, %a1: tensor<2xi2>, %a2: tensor<2xi4>, %a3: tensor<2xi8>, %a4: tensor<2xi16>, %a5: tensor<2xi32>, %a6: tensor<2xi64>, %a7: tensor<2xui2>, %a8: tensor<2xui4>, %a9: tensor<2xui8>, %a10: tensor<2xui16>, %a11: tensor<2xui32>, %a12: tensor<2xui64>, %a13: tensor<2xf4E2M1FN>, %a14: tensor<2xf6E2M3FN>, %a15: tensor<2xf6E3M2FN>, %a16: tensor<2xf8E3M4>, %a17: tensor<2xf8E4M3>, %a18: tensor<2xf8E4M3FN>, %a19: tensor<2xf8E4M3FNUZ>, %a20: tensor<2xf8E4M3B11FNUZ>, %a21: tensor<2xf8E5M2>, %a22: tensor<2xf8E5M2FNUZ>, %a23: tensor<2xf8E8M0FNU>, %a24: tensor<2xbf16>, %a25: tensor<2xf16>, %a26: tensor<2xf32>, %a27: tensor<2xf64>, %a28: tensor<2xcomplex<f32>>, %a29: tensor<2xcomplex<f64>>) {
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xi1>
  %0 = stablehlo.maximum %a0, %a0 : tensor<2xi1>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xi2>
  %1 = stablehlo.maximum %a1, %a1 : tensor<2xi2>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xi4>
  %2 = stablehlo.maximum %a2, %a2 : tensor<2xi4>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xi8>
  %3 = stablehlo.maximum %a3, %a3 : tensor<2xi8>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xi16>
  %4 = stablehlo.maximum %a4, %a4 : tensor<2xi16>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xi32>
  %5 = stablehlo.maximum %a5, %a5 : tensor<2xi32>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xi64>
  %6 = stablehlo.maximum %a6, %a6 : tensor<2xi64>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xui2>
  %7 = stablehlo.maximum %a7, %a7 : tensor<2xui2>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xui4>
  %8 = stablehlo.maximum %a8, %a8 : tensor<2xui4>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xui8>
  %9 = stablehlo.maximum %a9, %a9 : tensor<2xui8>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xui16>
  %10 = stablehlo.maximum %a10, %a10 : tensor<2xui16>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xui32>
  %11 = stablehlo.maximum %a11, %a11 : tensor<2xui32>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xui64>
  %12 = stablehlo.maximum %a12, %a12 : tensor<2xui64>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xf4E2M1FN>
  %13 = stablehlo.maximum %a13, %a13 : tensor<2xf4E2M1FN>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xf6E2M3FN>
  %14 = stablehlo.maximum %a14, %a14 : tensor<2xf6E2M3FN>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xf6E3M2FN>
  %15 = stablehlo.maximum %a15, %a15 : tensor<2xf6E3M2FN>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xf8E3M4>
  %16 = stablehlo.maximum %a16, %a16 : tensor<2xf8E3M4>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xf8E4M3>
  %17 = stablehlo.maximum %a17, %a17 : tensor<2xf8E4M3>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xf8E4M3FN>
  %18 = stablehlo.maximum %a18, %a18 : tensor<2xf8E4M3FN>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xf8E4M3FNUZ>
  %19 = stablehlo.maximum %a19, %a19 : tensor<2xf8E4M3FNUZ>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xf8E4M3B11FNUZ>
  %20 = stablehlo.maximum %a20, %a20 : tensor<2xf8E4M3B11FNUZ>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xf8E5M2>
  %21 = stablehlo.maximum %a21, %a21 : tensor<2xf8E5M2>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xf8E5M2FNUZ>
  %22 = stablehlo.maximum %a22, %a22 : tensor<2xf8E5M2FNUZ>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xf8E8M0FNU>
  %23 = stablehlo.maximum %a23, %a23 : tensor<2xf8E8M0FNU>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xbf16>
  %24 = stablehlo.maximum %a24, %a24 : tensor<2xbf16>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xf16>
  %25 = stablehlo.maximum %a25, %a25 : tensor<2xf16>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xf32>
  %26 = stablehlo.maximum %a26, %a26 : tensor<2xf32>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xf64>
  %27 = stablehlo.maximum %a27, %a27 : tensor<2xf64>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xcomplex<f32>>
  %28 = stablehlo.maximum %a28, %a28 : tensor<2xcomplex<f32>>
  // CHECK: stablehlo.maximum %{{.*}}, %{{.*}} : tensor<2xcomplex<f64>>
  %29 = stablehlo.maximum %a29, %a29 : tensor<2xcomplex<f64>>
  return
}
