// RUN: drumlin-opt --split-reductions %s | FileCheck %s

// Reductions of many elements to few results are split into parts, whose results are combined.

// CHECK-LABEL: func.func @sum
// CHECK: %[[CUT:.*]] = stablehlo.reshape %{{.*}} : (tensor<1000000xf32>) -> tensor<50x20000xf32>
// CHECK: %[[PARTS:.*]] = stablehlo.reduce(%[[CUT]] init: %{{.*}}) applies stablehlo.add across dimensions = [1]
// CHECK: %[[APART:.*]] = stablehlo.optimization_barrier %[[PARTS]]
// CHECK: %[[SUM:.*]] = stablehlo.reduce(%[[APART]] init: %{{.*}}) applies stablehlo.add across dimensions = [0]
// CHECK: return %[[SUM]]
func.func @sum(%x: tensor<1000000xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1000000xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// No number of parts divides 1,000,003. The left-over elements are computed by operations of their own.
// CHECK-LABEL: func.func @rest
// CHECK-SAME: (%[[X:.*]]: tensor<1000003xf32>)
// CHECK: stablehlo.slice %{{.*}} [0:999973]
// CHECK: stablehlo.reduce({{.*}}) applies stablehlo.maximum across dimensions = [1] : (tensor<61x16393xf32>, tensor<f32>) -> tensor<61xf32>
// CHECK: %[[MOST:.*]] = stablehlo.reduce({{.*}}) applies stablehlo.maximum across dimensions = [0]
// CHECK: %[[SLICE:.*]] = stablehlo.slice %[[X]] [999973:1000003]
// CHECK: %[[REST:.*]] = stablehlo.abs %[[SLICE]]
// CHECK: %[[LAST:.*]] = stablehlo.reduce(%[[REST]] init: %{{.*}}) applies stablehlo.maximum across dimensions = [0]
// CHECK: stablehlo.maximum %[[MOST]], %[[LAST]]
func.func @rest(%x: tensor<1000003xf32>) -> tensor<f32> {
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.abs %x : tensor<1000003xf32>
  %1 = stablehlo.reduce(%0 init: %least) applies stablehlo.maximum across dimensions = [0] : (tensor<1000003xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// A sum of few columns. The parts' sums are f32, and are rounded once.
// CHECK-LABEL: func.func @columns
// CHECK: stablehlo.convert %{{.*}} : (tensor<100000x7xbf16>) -> tensor<100000x7xf32>
// CHECK: stablehlo.reduce({{.*}}) applies stablehlo.add across dimensions = [1] : (tensor<40x2500x7xf32>, tensor<f32>) -> tensor<40x7xf32>
// CHECK: stablehlo.reduce({{.*}}) applies stablehlo.add across dimensions = [0] : (tensor<40x7xf32>, tensor<f32>) -> tensor<7xf32>
// CHECK: stablehlo.convert %{{.*}} : (tensor<7xf32>) -> tensor<7xbf16>
func.func @columns(%x: tensor<100000x7xbf16>) -> tensor<7xbf16> {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<100000x7xbf16>, tensor<bf16>) -> tensor<7xbf16>
  return %0 : tensor<7xbf16>
}

// Dimensions before and between the reduced ones keep their places.
// CHECK-LABEL: func.func @between
// CHECK: stablehlo.reshape %{{.*}} : (tensor<2x3x640x1x100xi32>) -> tensor<2x3x10x64x1x100xi32>
// CHECK: stablehlo.reduce({{.*}}) applies stablehlo.or across dimensions = [1, 3, 5] : {{.*}} -> tensor<2x10x1xi32>
// CHECK: stablehlo.reduce({{.*}}) applies stablehlo.or across dimensions = [1] : {{.*}} -> tensor<2x1xi32>
func.func @between(%x: tensor<2x3x640x1x100xi32>) -> tensor<2x1xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.or across dimensions = [1, 2, 4] : (tensor<2x3x640x1x100xi32>, tensor<i32>) -> tensor<2x1xi32>
  return %0 : tensor<2x1xi32>
}

// An operand that another reduction reads too is computed for each: otherwise it would be stored.
// CHECK-LABEL: func.func @shared
// CHECK: stablehlo.multiply
// CHECK: stablehlo.multiply
// CHECK: return
func.func @shared(%x: tensor<100000xf32>) -> (tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %x, %x : tensor<100000xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<100000xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.reduce(%0 init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<100000xf32>, tensor<f32>) -> tensor<f32>
  return %1, %2 : tensor<f32>, tensor<f32>
}

// Not split: few elements, many rows, many columns, an initial value that counts, a size told at run time.
// CHECK-LABEL: func.func @others
// CHECK-NOT: stablehlo.optimization_barrier
// CHECK: return
func.func @others(%few: tensor<60000xf32>, %rows: tensor<8x100000xf32>, %columns: tensor<1000x1000xf32>, %x: tensor<1000000xf32>) -> (tensor<f32>, tensor<8xf32>, tensor<1000xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.reduce(%few init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<60000xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.reduce(%rows init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x100000xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.reduce(%columns init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1000x1000xf32>, tensor<f32>) -> tensor<1000xf32>
  %3 = stablehlo.reduce(%x init: %one) applies stablehlo.add across dimensions = [0] : (tensor<1000000xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2, %3 : tensor<f32>, tensor<8xf32>, tensor<1000xf32>, tensor<f32>
}
