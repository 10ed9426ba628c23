// RUN: drumlin-opt %s --unroll-whiles | FileCheck %s

// A loop of three iterations becomes its iterations. The counter is known in each of them.
// CHECK-LABEL: func.func @rounds
// CHECK-NOT: while
// CHECK: %[[A:.*]] = stablehlo.multiply %{{.*}}, %{{.*}} : tensor<8xf32>
// CHECK: %[[B:.*]] = stablehlo.multiply %[[A]], %[[A]]
// CHECK: %[[C:.*]] = stablehlo.multiply %[[B]], %[[B]]
// CHECK: return %{{.*}}, %[[C]]
func.func @rounds(%x: tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<8xf32>
    cond {
      %n = stablehlo.constant dense<3> : tensor<i32>
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %square = stablehlo.multiply %v, %v : tensor<8xf32>
      stablehlo.return %next, %square : tensor<i32>, tensor<8xf32>
    }
  return %0#0, %0#1 : tensor<i32>, tensor<8xf32>
}

// A loop that exchanges two values and reads a value from outside.
// CHECK-LABEL: func.func @exchanged
// CHECK-SAME: %[[X:.*]]: tensor<8xi32>, %[[Y:.*]]: tensor<8xi32>
// CHECK-NOT: while
// CHECK: %[[A:.*]] = stablehlo.add %[[X]], %[[Y]]
// CHECK: %[[B:.*]] = stablehlo.add %[[Y]], %[[A]]
// CHECK: return %[[A]], %[[B]]
func.func @exchanged(%x: tensor<8xi32>, %y: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<2> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %a = %x, %b = %y) : tensor<i32>, tensor<8xi32>, tensor<8xi32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      %sum = stablehlo.add %a, %b : tensor<8xi32>
      stablehlo.return %next, %b, %sum : tensor<i32>, tensor<8xi32>, tensor<8xi32>
    }
  return %0#1, %0#2 : tensor<8xi32>, tensor<8xi32>
}

// A loop without iterations.
// CHECK-LABEL: func.func @never
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
// CHECK-NOT: while
// CHECK: return %[[X]]
func.func @never(%x: tensor<8xf32>) -> tensor<8xf32> {
  %five = stablehlo.constant dense<5> : tensor<i32>
  %0:2 = stablehlo.while(%i = %five, %v = %x) : tensor<i32>, tensor<8xf32>
    cond {
      %c = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %square = stablehlo.multiply %v, %v : tensor<8xf32>
      stablehlo.return %i, %square : tensor<i32>, tensor<8xf32>
    }
  return %0#1 : tensor<8xf32>
}

// Not unrolled: a loop of too many iterations, a loop with a dot, and a loop with an unknown number of iterations.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-3: stablehlo.while
func.func @kept(%x: tensor<8x8xf32>, %end: tensor<i32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %many = stablehlo.constant dense<17> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<8x8xf32>
    cond {
      %c = stablehlo.compare LT, %i, %many : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      %square = stablehlo.multiply %v, %v : tensor<8x8xf32>
      stablehlo.return %next, %square : tensor<i32>, tensor<8x8xf32>
    }
  %1:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<8x8xf32>
    cond {
      %c = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      %square = stablehlo.dot_general %v, %v, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      stablehlo.return %next, %square : tensor<i32>, tensor<8x8xf32>
    }
  %2:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<8x8xf32>
    cond {
      %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      %square = stablehlo.multiply %v, %v : tensor<8x8xf32>
      stablehlo.return %next, %square : tensor<i32>, tensor<8x8xf32>
    }
  return %0#1, %1#1, %2#1 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
