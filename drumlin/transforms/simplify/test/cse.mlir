// RUN: drumlin-opt --cse --split-input-file %s | FileCheck %s

// CHECK-LABEL: @operations
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<4xf32>
func.func @operations(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[SUM:.*]] = stablehlo.add %[[X]], %[[Y]]
  %0 = stablehlo.add %x, %y : tensor<4xf32>
  // Additions commute, subtractions don't.
  %1 = stablehlo.add %y, %x : tensor<4xf32>
  // CHECK-NEXT: %[[A:.*]] = stablehlo.subtract %[[SUM]], %[[X]]
  %2 = stablehlo.subtract %0, %x : tensor<4xf32>
  %3 = stablehlo.subtract %1, %x : tensor<4xf32>
  // CHECK-NEXT: %[[B:.*]] = stablehlo.subtract %[[X]], %[[SUM]]
  %4 = stablehlo.subtract %x, %0 : tensor<4xf32>
  %unused = stablehlo.multiply %x, %y : tensor<4xf32>
  // CHECK-NEXT: return %[[A]], %[[A]], %[[B]]
  return %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Regions are compared, and so are the outside values that they use. These values may have been duplicates before.
// CHECK-LABEL: @regions
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<i1>
func.func @regions(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[A:.*]] = stablehlo.negate
  %a = stablehlo.negate %x : tensor<4xf32>
  %b = stablehlo.negate %x : tensor<4xf32>
  // CHECK-NEXT: %[[ONE:.*]] = "stablehlo.if"(%[[P]])
  // CHECK-NEXT: stablehlo.add %{{.*}}, %[[A]]
  %0 = "stablehlo.if"(%p) ({
    %s = stablehlo.add %x, %a : tensor<4xf32>
    stablehlo.return %s : tensor<4xf32>
  }, {
    stablehlo.return %y : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  %1 = "stablehlo.if"(%p) ({
    %s = stablehlo.add %x, %b : tensor<4xf32>
    stablehlo.return %s : tensor<4xf32>
  }, {
    stablehlo.return %y : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  // CHECK: %[[OTHER:.*]] = "stablehlo.if"(%[[P]])
  // CHECK-NEXT: stablehlo.add %{{.*}}, %arg2
  %2 = "stablehlo.if"(%p) ({
    %s = stablehlo.add %x, %y : tensor<4xf32>
    stablehlo.return %s : tensor<4xf32>
  }, {
    stablehlo.return %y : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  // CHECK: return %[[ONE]], %[[ONE]], %[[OTHER]]
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Operations in a region are deduplicated first. Values computed outside are used inside, but values computed inside aren't used outside.
// CHECK-LABEL: @nested
func.func @nested(%p: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[A:.*]] = stablehlo.negate
  %a = stablehlo.negate %x : tensor<4xf32>
  // CHECK-NEXT: "stablehlo.if"
  %0 = "stablehlo.if"(%p) ({
    // CHECK-NEXT: %[[E:.*]] = stablehlo.exponential %[[A]]
    // CHECK-NEXT: %[[S:.*]] = stablehlo.add %[[E]], %[[E]]
    // CHECK-NEXT: stablehlo.return %[[S]]
    %b = stablehlo.negate %x : tensor<4xf32>
    %e = stablehlo.exponential %a : tensor<4xf32>
    %f = stablehlo.exponential %b : tensor<4xf32>
    %s = stablehlo.add %e, %f : tensor<4xf32>
    stablehlo.return %s : tensor<4xf32>
  }, {
    // CHECK: stablehlo.exponential %[[A]]
    %e = stablehlo.exponential %a : tensor<4xf32>
    stablehlo.return %e : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  // CHECK: stablehlo.exponential %[[A]]
  %e = stablehlo.exponential %a : tensor<4xf32>
  return %0, %e : tensor<4xf32>, tensor<4xf32>
}

// -----

// Two draws of random numbers remain two draws.
// CHECK-LABEL: @effects
func.func @effects(%a: tensor<f32>, %b: tensor<f32>, %shape: tensor<1xi64>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-COUNT-2: stablehlo.rng
  %0 = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
  %1 = stablehlo.rng %a, %b, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
