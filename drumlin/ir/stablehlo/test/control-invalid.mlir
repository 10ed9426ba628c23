// RUN: drumlin-opt %s -split-input-file -verify-diagnostics

// One invalid program for each constraint on control flow and sorting.

// The condition has the carried values as arguments.
func.func @while_c1(%x: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>) {
  // expected-error@+1 {{(while_c1)}}
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%y: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%y: tensor<i32>):
    stablehlo.return %y : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

// The condition returns a boolean.
func.func @while_c1_result(%x: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>) {
  // expected-error@+1 {{(while_c1)}}
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%y: tensor<i32>):
    stablehlo.return %y : tensor<i32>
  }, {
  ^bb0(%y: tensor<i32>):
    stablehlo.return %y : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

// The body has the carried values as arguments.
func.func @while_c2(%x: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>) {
  // expected-error@+1 {{(while_c2)}}
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%y: tensor<i32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%y: tensor<f32>):
    stablehlo.return %x : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

// The body returns values of the carried types.
func.func @while_c2_result(%x: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>) {
  // expected-error@+1 {{(while_c2)}}
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%y: tensor<i32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%y: tensor<i32>):
    stablehlo.return %f : tensor<f32>
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

// The results have the types of the carried values.
func.func @while_c3(%x: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>) {
  // expected-error@+1 {{(while_c3)}}
  %0 = "stablehlo.while"(%x) ({
  ^bb0(%y: tensor<i32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%y: tensor<i32>):
    stablehlo.return %y : tensor<i32>
  }) : (tensor<i32>) -> tensor<f32>
  return
}

// -----

// Each carried value of a loop needs a type.
func.func @while_types(%x: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>) {
  // expected-error@+1 {{expected 1 types, got 2}}
  %0 = stablehlo.while(%y = %x) : tensor<i32>, tensor<i32> cond { stablehlo.return %p : tensor<i1> } do { stablehlo.return %y : tensor<i32> }
  return
}

// -----

// Branches have no arguments.
func.func @if_c1(%x: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>) {
  // expected-error@+1 {{(if_c1)}}
  %0 = "stablehlo.if"(%p) ({
  ^bb0(%y: tensor<i32>):
    stablehlo.return %x : tensor<i32>
  }, {
    stablehlo.return %x : tensor<i32>
  }) : (tensor<i1>) -> tensor<i32>
  return
}

// -----

// Both branches return the same types.
func.func @if_c2(%x: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>) {
  // expected-error@+1 {{(if_c2)}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<i32>
  }, {
    stablehlo.return %f : tensor<f32>
  }) : (tensor<i1>) -> tensor<i32>
  return
}

// -----

// The results have the types that the branches return.
func.func @if_c3(%x: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>) {
  // expected-error@+1 {{(if_c3)}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<i32>
  }, {
    stablehlo.return %x : tensor<i32>
  }) : (tensor<i1>) -> tensor<f32>
  return
}

// -----

// There must be at least one branch.
func.func @case_c1(%x: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>) {
  // expected-error@+1 {{(case_c1)}}
  %0 = "stablehlo.case"(%x) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

// Branches have no arguments.
func.func @case_c2(%x: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>) {
  // expected-error@+1 {{(case_c2)}}
  %0 = "stablehlo.case"(%x) ({
  ^bb0(%y: tensor<i32>):
    stablehlo.return %x : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

// All branches return the same types.
func.func @case_c3(%x: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>) {
  // expected-error@+1 {{(case_c3)}}
  %0 = "stablehlo.case"(%x) ({
    stablehlo.return %x : tensor<i32>
  }, {
    stablehlo.return %f : tensor<f32>
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

// The results have the types that the branches return.
func.func @case_c4(%x: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>) {
  // expected-error@+1 {{(case_c4)}}
  %0 = "stablehlo.case"(%x) ({
    stablehlo.return %x : tensor<i32>
  }) : (tensor<i32>) -> tensor<f32>
  return
}

// -----

// The index is of type i32.
func.func @case_i1(%x: tensor<i64>) {
  // expected-error@+1 {{must be 0-dimensional tensor of i32}}
  %0 = "stablehlo.case"(%x) ({
    stablehlo.return %x : tensor<i64>
  }) : (tensor<i64>) -> tensor<i64>
  return
}

// -----

// The results have the operands' types.
func.func @optimization_barrier_c1(%x: tensor<i32>) {
  // expected-error@+1 {{(optimization_barrier_c1)}}
  %0 = stablehlo.optimization_barrier %x : (tensor<i32>) -> tensor<i64>
  return
}

// -----

// There must be at least one input.
func.func @sort_c1() {
  // expected-error@+1 {{(sort_c1)}}
  "stablehlo.sort"() <{dimension = 0 : i64}> ({
    stablehlo.return
  }) : () -> ()
  return
}

// -----

// The results have the inputs' types.
func.func @sort_c2(%a: tensor<3xf32>) {
  // expected-error@+1 {{(sort_c2)}}
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.compare LT, %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

// Inputs must have the same shape.
func.func @sort_c3(%a: tensor<3xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{(sort_c3)}}
  %0:2 = "stablehlo.sort"(%a, %b) <{dimension = 0 : i64}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<f32>):
    %1 = stablehlo.compare LT, %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<3xf32>, tensor<4xf32>) -> (tensor<3xf32>, tensor<4xf32>)
  return
}

// -----

// The dimension must be a dimension of the inputs.
func.func @sort_c4(%a: tensor<3xf32>) {
  // expected-error@+1 {{(sort_c4)}}
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.compare LT, %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// A negative dimension must not count past the first dimension.
func.func @sort_c4_negative(%a: tensor<3xf32>) {
  // expected-error@+1 {{(sort_c4)}}
  %0 = "stablehlo.sort"(%a) <{dimension = -2 : i64}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.compare LT, %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// The comparator must take a pair of elements for each input.
func.func @sort_c5(%a: tensor<3xf32>) {
  // expected-error@+1 {{(sort_c5)}}
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<f32>):
    %1 = stablehlo.compare LT, %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// The comparator returns a boolean.
func.func @sort_c5_result(%a: tensor<3xf32>) {
  // expected-error@+1 {{(sort_c5)}}
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):
    %1 = stablehlo.compare LT, %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %arg0 : tensor<f32>
  }) : (tensor<3xf32>) -> tensor<3xf32>
  return
}
