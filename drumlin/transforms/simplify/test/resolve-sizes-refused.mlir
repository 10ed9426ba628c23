// RUN: drumlin-opt --resolve-sizes --split-input-file --verify-diagnostics %s

// A size that depends on elements.
// expected-error @+1 {{the sizes of the result of `stablehlo.dynamic_iota` don't follow from the sizes of the arguments}}
func.func @main(%n: tensor<1xi32>) -> tensor<?xi32> {
  %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// -----

// An assertion that no sizes satisfy.
// expected-error @+1 {{asserts a condition that no allowed sizes satisfy}}
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c = stablehlo.constant dense<-1> : tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %0 = stablehlo.compare LE, %n, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%0) {has_side_effect = true} : (tensor<i1>) -> ()
  return %x : tensor<?xf32>
}

// -----

// An assertion about elements.
// expected-error @+1 {{an assertion about values other than sizes isn't supported}}
func.func @main(%x: tensor<?xf32>, %p: tensor<i1>) -> tensor<?xf32> {
  stablehlo.custom_call @shape_assertion(%p) {has_side_effect = true} : (tensor<i1>) -> ()
  return %x : tensor<?xf32>
}

// -----

// A size without a bound that each iteration changes.
// expected-error @+1 {{a loop that changes the size of a carried value isn't supported}}
func.func @main(%n: tensor<i32>, %x: tensor<?xf32>) -> tensor<?xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<1xf32>
  %r = stablehlo.while(%v = %x) : tensor<?xf32>
  cond {
    %size = stablehlo.get_dimension_size %v, dim = 0 : (tensor<?xf32>) -> tensor<i32>
    %go = stablehlo.compare LT, %size, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %w = stablehlo.concatenate %v, %one, dim = 0 : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
    stablehlo.return %w : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
