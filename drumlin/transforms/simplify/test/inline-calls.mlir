// RUN: drumlin-opt --inline-calls --split-input-file --verify-diagnostics %s | FileCheck %s

// Calls are replaced by the bodies of the functions that they call.

// A call becomes the callee's operations on the call's operands, and the callee is removed.
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

// Calls in callees are inlined too, once for each call of the callee.
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

// A callee that returns one of its arguments, and a callee with several results.
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

// Functions that nothing calls are removed too.
// CHECK-LABEL: func.func @main
// CHECK-NOT: @unused
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @unused(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

// -----

// Recursion is declined, with a remedy.
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

// A composite is replaced by its decomposition.
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

// -----

// A composite with the name of an operation becomes that operation, and so does XLA's custom call. If the operation doesn't support the
// operands, or the version is newer, the decomposition is used.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<8xf32>, %[[A:.*]]: tensor<4x3xf32>)
// CHECK-NEXT: chlo.erf %[[X]]
// CHECK-NEXT: chlo.top_k(%[[X]], k = 3)
// CHECK-NEXT: chlo.top_k(%[[X]], k = 2)
// CHECK-NEXT: custom_call @Qr(%[[A]]) {api_version = 4 : i32, backend_config = {}}
// CHECK-NEXT: stablehlo.negate
// CHECK-NEXT: stablehlo.negate
// CHECK-NEXT: stablehlo.negate
// CHECK-NEXT: custom_call @mhlo.topk
// CHECK-NEXT: return
// CHECK-NOT: func.func
func.func @main(%x: tensor<8xf32>, %a: tensor<4x3xf32>) -> (tensor<8xf32>, tensor<3xf32>, tensor<2xf32>, tensor<4x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<2xf32>) {
  %0 = stablehlo.composite "chlo.erf" %x {decomposition = @f, version = 1 : i32} : (tensor<8xf32>) -> tensor<8xf32>
  %1:2 = stablehlo.composite "chlo.top_k" %x {composite_attributes = {k = 3 : i64}, decomposition = @first, version = 1 : i32} : (tensor<8xf32>) -> (tensor<3xf32>, tensor<3xi32>)
  %2:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 2 : i64, largest = true}, mhlo.version = 1 : i64} : (tensor<8xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  %3:2 = stablehlo.composite "xla.Qr" %a {decomposition = @qr} : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
  %4 = stablehlo.composite "chlo.erf" %x {decomposition = @f, version = 2 : i32} : (tensor<8xf32>) -> tensor<8xf32>
  %5 = stablehlo.composite "chlo.erf" %x {composite_attributes = {accuracy = 3 : i64}, decomposition = @f, version = 1 : i32} : (tensor<8xf32>) -> tensor<8xf32>
  %6 = stablehlo.composite "chlo.no_such_function" %x {decomposition = @f} : (tensor<8xf32>) -> tensor<8xf32>
  %7:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 2 : i64, largest = false}, mhlo.version = 1 : i64} : (tensor<8xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  return %0, %1#0, %2#0, %3#0, %4, %5, %6, %7#0 : tensor<8xf32>, tensor<3xf32>, tensor<2xf32>, tensor<4x3xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<2xf32>
}
func.func private @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @first(%x: tensor<8xf32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %0 = stablehlo.slice %x [0:3] : (tensor<8xf32>) -> tensor<3xf32>
  %1 = stablehlo.iota dim = 0 : tensor<3xi32>
  return %0, %1 : tensor<3xf32>, tensor<3xi32>
}
func.func private @qr(%a: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>) {
  %0 = stablehlo.constant dense<0.0> : tensor<3xf32>
  return %a, %0 : tensor<4x3xf32>, tensor<3xf32>
}
