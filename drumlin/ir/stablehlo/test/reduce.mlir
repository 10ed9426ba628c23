// RUN: drumlin-opt %s | FileCheck %s
// RUN: drumlin-opt %s --mlir-print-op-generic | drumlin-opt | FileCheck %s

// Reductions are printed in the short form if it can represent them, else with their body.

// The short form represents a body of one commutative operation with the arguments in order.
// CHECK-LABEL: func.func @short
func.func @short(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  // CHECK: applies stablehlo.add across dimensions = [0, 1] {tag = "x"} : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [0, 1] {tag = "x"} : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
  return
}

// The short form cannot represent a body whose operation has the arguments in the reverse order.
// CHECK-LABEL: func.func @swapped
func.func @swapped(%a: tensor<2x3xf32>, %i: tensor<f32>) {
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) across dimensions = [] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  // CHECK-NEXT: reducer(%[[X:.*]]: tensor<f32>, %[[Y:.*]]: tensor<f32>) {
  // CHECK-NEXT: stablehlo.add %[[Y]], %[[X]] : tensor<f32>
  %0 = stablehlo.reduce(%a init: %i) across dimensions = [] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    %1 = stablehlo.add %y, %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return
}

// Several inputs: the arguments are listed in pairs.
// CHECK-LABEL: func.func @pairs
func.func @pairs(%a: tensor<3xf32>, %b: tensor<3xi32>, %i: tensor<f32>, %j: tensor<i32>) {
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}), (%{{.*}} init: %{{.*}}) across dimensions = [0] : (tensor<3xf32>, tensor<3xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
  // CHECK-NEXT: reducer(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>) (%[[C:.*]]: tensor<i32>, %[[D:.*]]: tensor<i32>) {
  // CHECK: stablehlo.maximum %[[A]], %[[B]] : tensor<f32>
  // CHECK: stablehlo.minimum %[[C]], %[[D]] : tensor<i32>
  %0:2 = stablehlo.reduce(%a init: %i), (%b init: %j) across dimensions = [0] : (tensor<3xf32>, tensor<3xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
   reducer(%x: tensor<f32>, %y: tensor<f32>) (%z: tensor<i32>, %w: tensor<i32>) {
    %1 = stablehlo.maximum %x, %y : tensor<f32>
    %2 = stablehlo.minimum %z, %w : tensor<i32>
    stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
  }
  return
}

// A body may compute on a wider type than the inputs have. The result then has the wider type.
// CHECK-LABEL: func.func @wider
func.func @wider(%a: tensor<3xbf16>, %i: tensor<bf16>) {
  // CHECK: across dimensions = [0] : (tensor<3xbf16>, tensor<bf16>) -> tensor<f32>
  // CHECK-NEXT: reducer(%{{.*}}: tensor<f32>, %{{.*}}: tensor<f32>) {
  %0 = "stablehlo.reduce"(%a, %i) <{dimensions = array<i64: 0>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<3xbf16>, tensor<bf16>) -> tensor<f32>
  return
}
