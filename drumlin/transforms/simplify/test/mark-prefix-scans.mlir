// RUN: drumlin-opt --mark-prefix-scans %s | FileCheck %s

// The windows have all elements up to each position, and the body returns zero if both arguments are zero.
// CHECK-LABEL: func.func @decays
func.func @decays(%x: tensor<9xf32>) -> tensor<9xf32> {
  // CHECK: "stablehlo.reduce_window"
  // CHECK: {plan.prefix_scan} : (tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 9>, padding = dense<[[8, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %h = stablehlo.constant dense<0.5> : tensor<f32>
    %s = stablehlo.multiply %p, %h : tensor<f32>
    %t = stablehlo.add %s, %q : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
  return %r : tensor<9xf32>
}

// Not marked: the initial value isn't neutral for this body, so the result depends on how often it is combined.
// CHECK-LABEL: func.func @counts
func.func @counts(%x: tensor<9xf32>) -> tensor<9xf32> {
  // CHECK-NOT: plan.prefix_scan
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 9>, padding = dense<[[8, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %h = stablehlo.constant dense<0.5> : tensor<f32>
    %s = stablehlo.multiply %p, %h : tensor<f32>
    %t = stablehlo.add %s, %q : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
  return %r : tensor<9xf32>
}

// Not marked: known bodies, which need no mark; windows that begin with the last element, whose order would differ; and shorter windows,
// whose results can't be computed from each other.
// CHECK-LABEL: func.func @others
func.func @others(%x: tensor<9xf32>) -> (tensor<9xf32>, tensor<9xf32>, tensor<9xf32>) {
  // CHECK-NOT: plan.prefix_scan
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %a = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 9>, padding = dense<[[8, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %t = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
  %b = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 9>, padding = dense<[[0, 8]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %t = stablehlo.subtract %p, %q : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
  %c = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 3>, padding = dense<[[2, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %t = stablehlo.subtract %p, %q : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
  return %a, %b, %c : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>
}

// If padding before the elements consists of the initial value, it becomes the window's padding.
// CHECK-LABEL: func.func @padded
func.func @padded(%x: tensor<9xf32>) -> tensor<9xf32> {
  // CHECK: "stablehlo.reduce_window"(%arg0, %{{.*}}) <{padding = dense<{{\[\[}}8, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 9>}>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.pad %x, %z, low = [8], high = [0], interior = [0] : (tensor<9xf32>, tensor<f32>) -> tensor<17xf32>
  %r = "stablehlo.reduce_window"(%p, %z) <{window_dimensions = array<i64: 9>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<17xf32>, tensor<f32>) -> tensor<9xf32>
  return %r : tensor<9xf32>
}

// Padding with another number stays.
// CHECK-LABEL: func.func @padded_with_ones
func.func @padded_with_ones(%x: tensor<9xf32>) -> tensor<9xf32> {
  // CHECK: %[[P:.*]] = stablehlo.pad
  // CHECK: "stablehlo.reduce_window"(%[[P]], %{{.*}}) <{window_dimensions = array<i64: 9>}>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %o = stablehlo.constant dense<1.0> : tensor<f32>
  %p = stablehlo.pad %x, %o, low = [8], high = [0], interior = [0] : (tensor<9xf32>, tensor<f32>) -> tensor<17xf32>
  %r = "stablehlo.reduce_window"(%p, %z) <{window_dimensions = array<i64: 9>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<17xf32>, tensor<f32>) -> tensor<9xf32>
  return %r : tensor<9xf32>
}
