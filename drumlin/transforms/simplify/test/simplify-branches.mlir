// RUN: drumlin-opt --simplify-branches %s | FileCheck %s

// Conditionals whose branch is a constant.

// A constant `true` selects the first branch.
// CHECK-LABEL: func.func @if_true(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @if_true(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: stablehlo.if
  // CHECK: %[[N:.*]] = stablehlo.negate %[[X]]
  // CHECK-NEXT: return %[[N]]
  %c = stablehlo.constant dense<true> : tensor<i1>
  %0 = "stablehlo.if"(%c) ({
    %1 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A constant `false` selects the second branch.
// CHECK-LABEL: func.func @if_false(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @if_false(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: stablehlo.negate
  // CHECK: return %[[X]]
  %c = stablehlo.constant dense<false> : tensor<i1>
  %0 = "stablehlo.if"(%c) ({
    %1 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The condition is known only at run time, so the conditional stays.
// CHECK-LABEL: func.func @if_of_a_value(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @if_of_a_value(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  // CHECK-NEXT: "stablehlo.if"
  %0 = "stablehlo.if"(%c) ({
    %1 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The index selects branch 0.
// CHECK-LABEL: func.func @case_first(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @case_first(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: stablehlo.case
  // CHECK: %[[R:.*]] = stablehlo.negate %[[X]]
  // CHECK-NEXT: return %[[R]]
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.case"(%c) ({
    %1 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    %1 = stablehlo.abs %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The index selects branch 1.
// CHECK-LABEL: func.func @case_second(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @case_second(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: stablehlo.case
  // CHECK: %[[R:.*]] = stablehlo.abs %[[X]]
  // CHECK-NEXT: return %[[R]]
  %c = stablehlo.constant dense<1> : tensor<i32>
  %0 = "stablehlo.case"(%c) ({
    %1 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    %1 = stablehlo.abs %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Branch 7 is out of range, which selects the last branch.
// CHECK-LABEL: func.func @case_beyond(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @case_beyond(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: stablehlo.case
  // CHECK: %[[R:.*]] = stablehlo.abs %[[X]]
  // CHECK-NEXT: return %[[R]]
  %c = stablehlo.constant dense<7> : tensor<i32>
  %0 = "stablehlo.case"(%c) ({
    %1 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    %1 = stablehlo.abs %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Branch -1 is out of range, which selects the last branch.
// CHECK-LABEL: func.func @case_before(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @case_before(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: stablehlo.case
  // CHECK: %[[R:.*]] = stablehlo.abs %[[X]]
  // CHECK-NEXT: return %[[R]]
  %c = stablehlo.constant dense<-1> : tensor<i32>
  %0 = "stablehlo.case"(%c) ({
    %1 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    %1 = stablehlo.abs %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A single branch needs no index.
// CHECK-LABEL: func.func @case_of_one(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @case_of_one(%x: tensor<4xf32>, %c: tensor<i32>) -> tensor<4xf32> {
  // CHECK-NEXT: stablehlo.abs
  %0 = "stablehlo.case"(%c) ({
    %1 = stablehlo.abs %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The index is known only at run time, so the conditional stays.
// CHECK-LABEL: func.func @case_of_a_value(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @case_of_a_value(%x: tensor<4xf32>, %c: tensor<i32>) -> tensor<4xf32> {
  // CHECK-NEXT: "stablehlo.case"
  %0 = "stablehlo.case"(%c) ({
    %1 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    %1 = stablehlo.abs %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
