// RUN: drumlin-opt --mark-prefix-scans --widen-scans %s | FileCheck %s

// A running sum of f32 becomes a running sum of f64, which is rounded.
// CHECK-LABEL: func.func @sum
// CHECK: %[[X:.*]] = stablehlo.convert %arg0 : (tensor<1000xf32>) -> tensor<1000xf64>
// CHECK: %[[Z:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f64>
// CHECK: %[[S:.*]] = "stablehlo.reduce_window"(%[[X]], %[[Z]])
// CHECK: stablehlo.add {{.*}} : tensor<f64>
// CHECK: %[[R:.*]] = stablehlo.convert %[[S]] : (tensor<1000xf64>) -> tensor<1000xf32>
// CHECK: return %[[R]]
func.func @sum(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %z) <{padding = dense<[[999, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 1000>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<1000xf32>, tensor<f32>) -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// A running product from the last element to the first, along the first dimension.
// CHECK-LABEL: func.func @product
// CHECK: stablehlo.constant dense<1.000000e+00> : tensor<f64>
// CHECK: stablehlo.multiply {{.*}} : tensor<f64>
// CHECK: (tensor<100x3xf64>, tensor<f64>) -> tensor<100x3xf64>
func.func @product(%x: tensor<100x3xf32>) -> tensor<100x3xf32> {
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %z) <{padding = dense<[[0, 99], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 100, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.multiply %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<100x3xf32>, tensor<f32>) -> tensor<100x3xf32>
  return %r : tensor<100x3xf32>
}

// A body of f32 whose functions of one number stay in f32. Their results are converted once.
// CHECK-LABEL: func.func @logarithms
// CHECK: stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
// CHECK: ^bb0(%[[A:.*]]: tensor<f64>, %[[B:.*]]: tensor<f64>):
// CHECK: %[[M:.*]] = stablehlo.maximum %[[A]], %[[B]] : tensor<f64>
// CHECK: %[[N:.*]] = stablehlo.negate {{.*}} : tensor<f64>
// CHECK: %[[F:.*]] = stablehlo.convert %[[N]] : (tensor<f64>) -> tensor<f32>
// CHECK: %[[E:.*]] = stablehlo.exponential %[[F]] : tensor<f32>
// CHECK: %[[L:.*]] = stablehlo.log_plus_one %[[E]] : tensor<f32>
// CHECK: %[[W:.*]] = stablehlo.convert %[[L]] : (tensor<f32>) -> tensor<f64>
// CHECK: stablehlo.add %[[M]], %[[W]] : tensor<f64>
// CHECK: plan.prefix_scan
func.func @logarithms(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %z) <{padding = dense<[[999, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 1000>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    %d = stablehlo.subtract %a, %b : tensor<f32>
    %p = stablehlo.abs %d : tensor<f32>
    %n = stablehlo.negate %p : tensor<f32>
    %e = stablehlo.exponential %n : tensor<f32>
    %l = stablehlo.log_plus_one %e : tensor<f32>
    %s = stablehlo.add %m, %l : tensor<f32>
    %w = stablehlo.add %a, %b : tensor<f32>
    %u = stablehlo.compare NE, %d, %d, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %c = stablehlo.select %u, %w, %s : tensor<i1>, tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<1000xf32>, tensor<f32>) -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}

// Unchanged: few elements; a running maximum; sums of f64, of integers, and of bf16, which are accumulated in f32; windows that aren't
// prefixes.
// CHECK-LABEL: func.func @others
// CHECK-NOT: stablehlo.convert
// CHECK: return
func.func @others(%few: tensor<15xf32>, %x: tensor<100xf32>, %wide: tensor<100xf64>, %half: tensor<100xbf16>, %count: tensor<100xi32>) -> (tensor<15xf32>, tensor<100xf32>, tensor<100xf64>, tensor<100xbf16>, tensor<100xi32>, tensor<51xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %zw = stablehlo.constant dense<0.0> : tensor<f64>
  %zh = stablehlo.constant dense<0.0> : tensor<bf16>
  %zi = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%few, %z) <{padding = dense<[[14, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 15>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<15xf32>, tensor<f32>) -> tensor<15xf32>
  %1 = "stablehlo.reduce_window"(%x, %i) <{padding = dense<[[99, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 100>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<100xf32>, tensor<f32>) -> tensor<100xf32>
  %2 = "stablehlo.reduce_window"(%wide, %zw) <{padding = dense<[[99, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 100>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %c = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %c : tensor<f64>
  }) : (tensor<100xf64>, tensor<f64>) -> tensor<100xf64>
  %3 = "stablehlo.reduce_window"(%half, %zh) <{padding = dense<[[99, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 100>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %c = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %c : tensor<bf16>
  }) : (tensor<100xbf16>, tensor<bf16>) -> tensor<100xbf16>
  %4 = "stablehlo.reduce_window"(%count, %zi) <{padding = dense<[[99, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 100>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<100xi32>, tensor<i32>) -> tensor<100xi32>
  %5 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 50>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<100xf32>, tensor<f32>) -> tensor<51xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<15xf32>, tensor<100xf32>, tensor<100xf64>, tensor<100xbf16>, tensor<100xi32>, tensor<51xf32>
}

// A sum over windows of many elements, and a sum over windows of few elements.
// CHECK-LABEL: func.func @windows
// CHECK: "stablehlo.reduce_window"
// CHECK: stablehlo.add {{.*}} : tensor<f64>
// CHECK: (tensor<1000xf64>, tensor<f64>) -> tensor<744xf64>
// CHECK: "stablehlo.reduce_window"
// CHECK: stablehlo.add {{.*}} : tensor<f32>
// CHECK: (tensor<1000xf32>, tensor<f32>) -> tensor<745xf32>
func.func @windows(%x: tensor<1000xf32>) -> (tensor<744xf32>, tensor<745xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 257>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<1000xf32>, tensor<f32>) -> tensor<744xf32>
  %s = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 256>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<1000xf32>, tensor<f32>) -> tensor<745xf32>
  return %r, %s : tensor<744xf32>, tensor<745xf32>
}
