// RUN: drumlin-opt --inline-calls --split-input-file --verify-diagnostics %s | FileCheck %s

// Calls give way to the bodies of the functions that they name.

// A call becomes the callee's operations on the call's operands, and the callee goes.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[D:.*]] = stablehlo.subtract %[[Y]], %[[X]]
  // CHECK-NEXT: return %[[D]]
  %0 = call @difference(%y, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK-NOT: func.func
func.func private @difference(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.subtract %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Callees of callees come along, as often as they are called.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[A:.*]] = stablehlo.negate %[[X]]
  // CHECK-NEXT: %[[B:.*]] = stablehlo.negate %[[A]]
  // CHECK-NEXT: return %[[B]]
  %0 = call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @twice(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @once(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @once(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @once(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A callee that gives an argument back, and several results.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<2xi32>
func.func @main(%x: tensor<4xf32>, %y: tensor<2xi32>) -> (tensor<2xi32>, tensor<4xf32>) {
  // CHECK-NEXT: return %[[Y]], %[[X]]
  %0:2 = call @swap(%x, %y) : (tensor<4xf32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<2xi32>, tensor<4xf32>
}
func.func private @swap(%a: tensor<4xf32>, %b: tensor<2xi32>) -> (tensor<2xi32>, tensor<4xf32>) {
  return %b, %a : tensor<2xi32>, tensor<4xf32>
}

// -----

// Calls inside loops.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<i32>) -> tensor<i32> {
  // CHECK: stablehlo.while(%[[I:.*]] = %{{.*}})
  // CHECK: cond {
  // CHECK-NEXT: stablehlo.compare LT, %[[I]]
  // CHECK: do {
  // CHECK-NEXT: stablehlo.add %[[I]], %[[I]]
  %0 = stablehlo.while(%i = %x) : tensor<i32>
  cond {
    %1 = func.call @below(%i) : (tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = func.call @double(%i) : (tensor<i32>) -> tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }
  return %0 : tensor<i32>
}
func.func private @below(%i: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare LT, %i, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func private @double(%i: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.add %i, %i : tensor<i32>
  return %0 : tensor<i32>
}

// -----

// Functions that nothing calls go too.
// CHECK-LABEL: func.func @main
// CHECK-NOT: @unused
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @unused(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

// -----

// Recursion has no end: declined, with the way out.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @g(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @g(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{calls `f` recursively; write the recursion as a `while`}}
  %0 = call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A function without a body can't be inlined.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{calls `far`, which is no function of this module with a body}}
  %0 = call @far(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @far(tensor<4xf32>) -> tensor<4xf32>

// -----

// Without an entry there is nothing to inline into.
// expected-error@+1 {{has no function `main`}}
module {
  func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
    return %a : tensor<4xf32>
  }
}

// -----

// A composite is its decomposition.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: stablehlo.sine
// CHECK-NEXT: return
// CHECK-NOT: func.func
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "my.sine" %x {decomposition = @my.sine} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @my.sine(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.sine %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
