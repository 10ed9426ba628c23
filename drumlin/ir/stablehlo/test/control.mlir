// RUN: drumlin-opt %s | FileCheck %s
// RUN: drumlin-opt %s --mlir-print-op-generic | drumlin-opt | FileCheck %s

// Control flow and sorting are printed as they were read.

// A loop has names for its carried values, which its condition uses too. It may use outer values.
// CHECK-LABEL: func.func @while
func.func @while(%a: tensor<i32>, %b: tensor<2xf32>) {
  // CHECK: %[[R:.*]]:2 = stablehlo.while(%[[I:iterArg]] = %{{.*}}, %[[J:iterArg_0]] = %{{.*}}) : tensor<i32>, tensor<2xf32> attributes {tag = "x"}
  // CHECK-NEXT: cond {
  // CHECK-NEXT: stablehlo.compare LT, %[[I]], %{{.*}} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  // CHECK: } do {
  // CHECK-NEXT: stablehlo.add %[[J]], %{{.*}} : tensor<2xf32>
  %0:2 = stablehlo.while(%i = %a, %j = %b) : tensor<i32>, tensor<2xf32> attributes {tag = "x"}
  cond {
    %1 = stablehlo.compare LT, %i, %a : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %j, %b : tensor<2xf32>
    stablehlo.return %i, %1 : tensor<i32>, tensor<2xf32>
  }
  return
}

// A loop without carried values.
// If a carried value has several types, the loop lists all of them.
// CHECK-LABEL: func.func @while_several_types
func.func @while_several_types(%a: tensor<4xf32>) -> tensor<?xf32> {
  // CHECK: stablehlo.while(%{{.*}}) ({
  // CHECK: ^bb0(%[[C:.*]]: tensor<?xf32>):
  // CHECK: ^bb0(%[[B:.*]]: tensor<?xf32>):
  // CHECK: }) {tag = "x"} : (tensor<4xf32>) -> tensor<?xf32>
  %0 = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<?xf32>):
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%x: tensor<?xf32>):
    stablehlo.return %x : tensor<?xf32>
  }) {tag = "x"} : (tensor<4xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @while_nothing
func.func @while_nothing() {
  // CHECK: stablehlo.while()
  // CHECK-NEXT: cond {
  stablehlo.while()
  cond {
    %0 = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %0 : tensor<i1>
  } do {
    stablehlo.return
  }
  return
}

// Branches.
// CHECK-LABEL: func.func @branches
func.func @branches(%p: tensor<i1>, %k: tensor<i32>, %x: tensor<2xf32>) {
  // CHECK: "stablehlo.if"(%{{.*}}) ({
  // CHECK: (tensor<i1>) -> tensor<2xf32>
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<2xf32>
  }, {
    %2 = stablehlo.negate %x : tensor<2xf32>
    stablehlo.return %2 : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  // CHECK: "stablehlo.case"(%{{.*}}) ({
  // CHECK: (tensor<i32>) -> tensor<2xf32>
  %1 = "stablehlo.case"(%k) ({
    stablehlo.return %x : tensor<2xf32>
  }, {
    stablehlo.return %0 : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<2xf32>
  return
}

// Barriers of zero, one and two values.
// CHECK-LABEL: func.func @barriers
func.func @barriers(%a: tensor<i32>, %b: tensor<2xf32>) {
  // CHECK: stablehlo.optimization_barrier()
  stablehlo.optimization_barrier()
  // CHECK: stablehlo.optimization_barrier %{{.*}} : tensor<i32>
  %0 = stablehlo.optimization_barrier %a : tensor<i32>
  // CHECK: stablehlo.optimization_barrier %{{.*}}, %{{.*}} : tensor<i32>, tensor<2xf32>
  %1:2 = stablehlo.optimization_barrier %a, %b : tensor<i32>, tensor<2xf32>
  return
}

// A sort of two inputs by the first one.
// CHECK-LABEL: func.func @sort
func.func @sort(%a: tensor<2x3xf32>, %b: tensor<2x3xi32>) {
  // CHECK: "stablehlo.sort"(%{{.*}}, %{{.*}}) <{dimension = 1 : i64, is_stable = true}> ({
  // CHECK: (tensor<2x3xf32>, tensor<2x3xi32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  %0:2 = "stablehlo.sort"(%a, %b) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<i32>, %w: tensor<i32>):
    %1 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<2x3xf32>, tensor<2x3xi32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return
}
