// RUN: drumlin-opt %s --simplify-whiles | FileCheck %s

// A value that the body yields unchanged is read from outside the loop. The loop still carries the other values.
// CHECK-LABEL: func.func @unchanged
// CHECK-SAME: %[[WEIGHT:.*]]: tensor<4xf32>, %[[STATE:.*]]: tensor<4xf32>, %[[COUNT:.*]]: tensor<i32>
func.func @unchanged(%weight: tensor<4xf32>, %state: tensor<4xf32>, %count: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[LOOP:.*]]:2 = stablehlo.while(%[[CARRIED:.*]] = %[[STATE]], %{{.*}} = %[[COUNT]])
  // CHECK: stablehlo.add %[[CARRIED]], %[[WEIGHT]]
  // CHECK: return %[[WEIGHT]], %[[LOOP]]#0
  %0:3 = stablehlo.while(%w = %weight, %s = %state, %c = %count) : tensor<4xf32>, tensor<4xf32>, tensor<i32>
  cond {
    %limit = stablehlo.constant dense<3> : tensor<i32>
    %more = stablehlo.compare LT, %c, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %s, %w : tensor<4xf32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %counted = stablehlo.add %c, %one : tensor<i32>
    stablehlo.return %w, %next, %counted : tensor<4xf32>, tensor<4xf32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// Values that are exchanged in each iteration change, so both are still carried.
// CHECK-LABEL: func.func @swapped
func.func @swapped(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  // CHECK: stablehlo.while(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}})
  %0:2 = stablehlo.while(%x = %a, %y = %b) : tensor<f32>, tensor<f32>
  cond {
    %less = stablehlo.compare LT, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  } do {
    stablehlo.return %y, %x : tensor<f32>, tensor<f32>
  }
  return %0#0 : tensor<f32>
}
// A value that the body yields unchanged may also be yielded as another carried value.
// CHECK-LABEL: func.func @given_twice
// CHECK-SAME: %[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>
func.func @given_twice(%a: tensor<f32>, %b: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  // CHECK: %[[LOOP:.*]] = stablehlo.while(%{{.*}} = %[[B]])
  // CHECK: stablehlo.return %[[A]] : tensor<f32>
  // CHECK: return %[[A]], %[[LOOP]]
  %0:2 = stablehlo.while(%x = %a, %y = %b) : tensor<f32>, tensor<f32>
  cond {
    %less = stablehlo.compare LT, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  } do {
    stablehlo.return %x, %x : tensor<f32>, tensor<f32>
  }
  return %0#0, %0#1 : tensor<f32>, tensor<f32>
}
