// RUN: drumlin-opt %s | FileCheck %s
// RUN: drumlin-opt %s --mlir-print-op-generic | drumlin-opt | FileCheck %s

// Constants are printed as they were read. The names of their results depend on the kind of constant.

// Splats, lists, special numbers, and bytes as hexadecimal text.
// CHECK-LABEL: func.func @values
func.func @values() {
  // CHECK: %cst = stablehlo.constant dense<1.000000e+00> : tensor<2xf32>
  %0 = stablehlo.constant dense<1.0> : tensor<2xf32>
  // CHECK: %c = stablehlo.constant dense<[1, -2]> : tensor<2xi64>
  %1 = stablehlo.constant dense<[1, -2]> : tensor<2xi64>
  // CHECK: %c_0 = stablehlo.constant dense<true> : tensor<i1>
  %2 = stablehlo.constant dense<true> : tensor<i1>
  // CHECK: stablehlo.constant dense<0xFF800000> : tensor<f32>
  %3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  // CHECK: stablehlo.constant dense<(1.000000e+00,2.000000e+00)> : tensor<complex<f32>>
  %4 = stablehlo.constant dense<(1.0, 2.0)> : tensor<complex<f32>>
  // CHECK: stablehlo.constant dense<[255, 0]> : tensor<2xui8>
  %5 = stablehlo.constant dense<[255, 0]> : tensor<2xui8>
  // CHECK: stablehlo.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %6 = stablehlo.constant dense<"0x0000803F00000040"> : tensor<2xf32>
  // CHECK: stablehlo.constant dense<4.480000e+02> : tensor<f8E4M3FN>
  %7 = stablehlo.constant dense<448.0> : tensor<f8E4M3FN>
  // CHECK: stablehlo.constant dense<> : tensor<0x4xf32>
  %8 = stablehlo.constant dense<> : tensor<0x4xf32>
  // CHECK: stablehlo.constant {tag = "x"} dense<0> : tensor<i32>
  %9 = stablehlo.constant {tag = "x"} dense<0> : tensor<i32>
  return
}

// Elements that are stored after the program, as resources.
// CHECK-LABEL: func.func @resource
func.func @resource() {
  // CHECK: stablehlo.constant dense_resource<weights> : tensor<2xf32>
  %0 = stablehlo.constant dense_resource<weights> : tensor<2xf32>
  return
}

// Constants that number elements along a dimension (iota).
// CHECK-LABEL: func.func @iota
func.func @iota() {
  // CHECK: stablehlo.iota dim = 1 : tensor<4x20xui64>
  %0 = stablehlo.iota dim = 1 : tensor<4x20xui64>
  return
}

// CHECK: weights: "0x040000000000803F00000040"
{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F00000040"
    }
  }
#-}
