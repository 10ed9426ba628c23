// RUN: drumlin-opt --resolve-sizes --split-input-file --verify-diagnostics %s

// A size that elements tell.
// expected-error @+1 {{the sizes of the result of `stablehlo.dynamic_iota` don't follow from the sizes of the arguments}}
func.func @main(%n: tensor<1xi32>) -> tensor<?xi32> {
  %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// -----

// What no sizes satisfy.
// expected-error @+1 {{asserts what holds for no sizes that the program allows}}
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c = stablehlo.constant dense<-1> : tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %0 = stablehlo.compare LE, %n, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%0) {has_side_effect = true} : (tensor<i1>) -> ()
  return %x : tensor<?xf32>
}

// -----

// An assertion of elements.
// expected-error @+1 {{an assertion of other things than sizes isn't supported}}
func.func @main(%x: tensor<?xf32>, %p: tensor<i1>) -> tensor<?xf32> {
  stablehlo.custom_call @shape_assertion(%p) {has_side_effect = true} : (tensor<i1>) -> ()
  return %x : tensor<?xf32>
}

// -----

// A size that each iteration changes, within the bound.
// expected-error @+1 {{a loop that changes the size of what it carries isn't supported}}
func.func @main(%n: tensor<i32>, %data: tensor<8xf32>) -> tensor<?xf32, #stablehlo.bounds<8>> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %x = "stablehlo.set_dimension_size"(%data, %one) {dimension = 0 : i64} : (tensor<8xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<?xf32, #stablehlo.bounds<8>>
  cond {
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %size = stablehlo.get_dimension_size %v, dim = 0 : (tensor<?xf32, #stablehlo.bounds<8>>) -> tensor<i32>
    %more = stablehlo.add %size, %one : tensor<i32>
    %w = "stablehlo.set_dimension_size"(%v, %more) {dimension = 0 : i64} : (tensor<?xf32, #stablehlo.bounds<8>>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<8>>
    stablehlo.return %next, %w : tensor<i32>, tensor<?xf32, #stablehlo.bounds<8>>
  }
  return %r#1 : tensor<?xf32, #stablehlo.bounds<8>>
}
