// RUN: drumlin-opt %s | FileCheck %s
// RUN: drumlin-opt %s --mlir-print-op-generic | drumlin-opt | FileCheck %s

// Custom calls, composites and tuples are printed as they were read.

// Custom calls.
// CHECK-LABEL: func.func @calls
func.func @calls(%a: tensor<4xf32>, %t: !stablehlo.token) {
  // CHECK: stablehlo.custom_call @foo(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
  %0 = stablehlo.custom_call @foo(%a) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: stablehlo.custom_call @foo(%{{.*}}) {api_version = 4 : i32, backend_config = {x = 1 : i64}, has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.custom_call @foo(%a) {api_version = 4 : i32, backend_config = {x = 1 : i64}, has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: stablehlo.custom_call @foo(%{{.*}}) {operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @foo(%a) {operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// A composite with its decomposition.
// CHECK-LABEL: func.func @composite
func.func @composite(%a: tensor<4xf32>) {
  // CHECK: stablehlo.composite "my.negate" %{{.*}} {composite_attributes = {k = 1 : i64}, decomposition = @negate, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = stablehlo.composite "my.negate" %a {composite_attributes = {k = 1 : i64}, decomposition = @negate, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// Tuples.
// CHECK-LABEL: func.func @tuples
func.func @tuples(%a: tensor<4xf32>, %t: !stablehlo.token) {
  // CHECK: stablehlo.tuple %{{.*}}, %{{.*}} : tuple<tensor<4xf32>, !stablehlo.token>
  %0 = stablehlo.tuple %a, %t : tuple<tensor<4xf32>, !stablehlo.token>
  // CHECK: stablehlo.get_tuple_element %{{.*}}[1] : (tuple<tensor<4xf32>, !stablehlo.token>) -> !stablehlo.token
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<4xf32>, !stablehlo.token>) -> !stablehlo.token
  // CHECK: stablehlo.tuple %{{.*}} : tuple<tuple<tensor<4xf32>, !stablehlo.token>>
  %2 = stablehlo.tuple %0 : tuple<tuple<tensor<4xf32>, !stablehlo.token>>
  return
}

func.func private @negate(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
