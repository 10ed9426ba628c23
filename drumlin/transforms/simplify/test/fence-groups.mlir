// RUN: drumlin-opt %s --fence-groups | FileCheck %s

// Barriers separate an operation with the limit from its operands and users, but not from other operations with the limit or from
// constants.
// CHECK-LABEL: func.func @limit
func.func @limit(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %ones = stablehlo.broadcast_in_dim %one, dims = [] : (tensor<f32>) -> tensor<4xf32>
  // CHECK: %[[SINE:.*]] = stablehlo.sine
  // CHECK: %[[BEFORE:.*]] = stablehlo.optimization_barrier %[[SINE]]
  %0 = stablehlo.sine %x : tensor<4xf32>
  // CHECK: %[[COSINE:.*]] = stablehlo.cosine %[[BEFORE]]
  %1 = stablehlo.cosine %0 {mhlo.frontend_attributes = {FUSE_LIMIT = "true"}} : tensor<4xf32>
  // CHECK: %[[SUM:.*]] = stablehlo.add %[[COSINE]], %{{.*}} {mhlo
  // CHECK: %[[AFTER:.*]] = stablehlo.optimization_barrier %[[SUM]]
  %2 = stablehlo.add %1, %ones {mhlo.frontend_attributes = {FUSE_LIMIT = "true"}} : tensor<4xf32>
  // CHECK: stablehlo.tanh %[[AFTER]]
  %3 = stablehlo.tanh %2 : tensor<4xf32>
  // CHECK: stablehlo.multiply %{{.*}}, %[[SINE]]
  %4 = stablehlo.multiply %3, %0 : tensor<4xf32>
  return %4 : tensor<4xf32>
}

// -----

// Values other than `true` set no limit.
// CHECK-LABEL: func.func @no_limit
// CHECK-NOT: optimization_barrier
func.func @no_limit(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.sine %x : tensor<4xf32>
  %1 = stablehlo.cosine %0 {mhlo.frontend_attributes = {FUSE_LIMIT = "false", MUST_FUSE = "1"}} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// A group begins when the previous group has computed the values that other operations need. Operations without a group, and operations of
// one group, don't wait for each other.
// CHECK-LABEL: func.func @order
func.func @order(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[INNER:.*]] = stablehlo.sine %arg0
  // CHECK: %[[FIRST:.*]] = stablehlo.cosine %[[INNER]]
  %0 = stablehlo.sine %x {mhlo.frontend_attributes = {scheduling_group = "a"}} : tensor<4xf32>
  %1 = stablehlo.cosine %0 {mhlo.frontend_attributes = {scheduling_group = "a"}} : tensor<4xf32>
  // CHECK: stablehlo.tanh %arg1
  %2 = stablehlo.tanh %y : tensor<4xf32>
  // CHECK: %[[LATER:.*]]:2 = stablehlo.optimization_barrier %arg1, %[[FIRST]]
  // CHECK: %[[SECOND:.*]] = stablehlo.exponential %[[LATER]]#0
  %3 = stablehlo.exponential %y {mhlo.frontend_attributes = {scheduling_group = "b"}} : tensor<4xf32>
  // CHECK: stablehlo.negate %[[SECOND]]
  %4 = stablehlo.negate %3 {mhlo.frontend_attributes = {scheduling_group = "b"}} : tensor<4xf32>
  return %1, %2, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Blocks of loops have separate groups.
// CHECK-LABEL: func.func @loop
func.func @loop(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %0:2 = stablehlo.while(%i = %n, %c = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.subtract %i, %one : tensor<i32>
    // CHECK: %[[IN:.*]] = stablehlo.sine
    // CHECK: %[[BARRIER:.*]] = stablehlo.optimization_barrier %[[IN]]
    // CHECK: stablehlo.cosine %[[BARRIER]]
    %2 = stablehlo.sine %c {mhlo.frontend_attributes = {FUSE_LIMIT = "true"}} : tensor<4xf32>
    %3 = stablehlo.cosine %2 : tensor<4xf32>
    stablehlo.return %1, %3 : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}
