// RUN: drumlin-opt --unroll-reductions %s | FileCheck %s

// A reduction of few elements along the innermost dimension becomes slices, which are combined beginning with the initial value.
// CHECK-LABEL: func.func @sum
// CHECK: %[[I:.*]] = stablehlo.broadcast_in_dim
// CHECK: %[[A:.*]] = stablehlo.slice %arg0 [0:300, 0:1]
// CHECK: %[[X:.*]] = stablehlo.reshape %[[A]] : (tensor<300x1xf32>) -> tensor<300xf32>
// CHECK: %[[S:.*]] = stablehlo.add %[[I]], %[[X]]
// CHECK: %[[B:.*]] = stablehlo.slice %arg0 [0:300, 1:2]
// CHECK: %[[Y:.*]] = stablehlo.reshape %[[B]]
// CHECK: %[[R:.*]] = stablehlo.add %[[S]], %[[Y]]
// CHECK: return %[[R]]
func.func @sum(%x: tensor<300x2xf32>) -> tensor<300xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<300x2xf32>, tensor<f32>) -> tensor<300xf32>
  return %r : tensor<300xf32>
}

// Sums of narrow floats are rounded once.
// CHECK-LABEL: func.func @narrow
// CHECK: stablehlo.add {{.*}} : tensor<300xf32>
// CHECK: stablehlo.add {{.*}} : tensor<300xf32>
// CHECK: %[[R:.*]] = stablehlo.convert {{.*}} : (tensor<300xf32>) -> tensor<300xbf16>
// CHECK: return %[[R]]
func.func @narrow(%x: tensor<300x2xbf16>) -> tensor<300xbf16> {
  %z = stablehlo.constant dense<0.0> : tensor<bf16>
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<300x2xbf16>, tensor<bf16>) -> tensor<300xbf16>
  return %r : tensor<300xbf16>
}

// A dot of two k elements whose result is reduced becomes multiplications of slices.
// CHECK-LABEL: func.func @distances
// CHECK-NOT: stablehlo.dot_general
// CHECK: stablehlo.broadcast_in_dim {{.*}}, dims = [0, 1] : (tensor<100x1xf32>) -> tensor<100x200xf32>
// CHECK: stablehlo.broadcast_in_dim {{.*}}, dims = [1, 0] : (tensor<200x1xf32>) -> tensor<100x200xf32>
// CHECK: stablehlo.multiply
// CHECK: stablehlo.reduce
func.func @distances(%x: tensor<100x2xf32>, %y: tensor<200x2xf32>) -> tensor<100xf32> {
  %z = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1] : (tensor<100x2xf32>, tensor<200x2xf32>) -> tensor<100x200xf32>
  %r = stablehlo.reduce(%d init: %z) applies stablehlo.minimum across dimensions = [1] : (tensor<100x200xf32>, tensor<f32>) -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// With more k elements, the elements that lanes read are made contiguous, behind a barrier.
// CHECK-LABEL: func.func @more_terms
// CHECK: %[[T:.*]] = stablehlo.transpose %arg1, dims = [1, 0]
// CHECK: %[[Y:.*]] = stablehlo.optimization_barrier %[[T]] : tensor<5x200xf32>
// CHECK-NOT: stablehlo.dot_general
// CHECK: stablehlo.slice %arg0 [0:100, 0:1]
// CHECK: stablehlo.slice %[[Y]] [0:1, 0:200]
// CHECK: stablehlo.broadcast_in_dim {{.*}}, dims = [0, 1] : (tensor<1x200xf32>) -> tensor<100x200xf32>
// CHECK-COUNT-4: stablehlo.add
// CHECK: stablehlo.reduce
func.func @more_terms(%x: tensor<100x5xf32>, %y: tensor<200x5xf32>) -> tensor<100xf32> {
  %z = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1] : (tensor<100x5xf32>, tensor<200x5xf32>) -> tensor<100x200xf32>
  %r = stablehlo.reduce(%d init: %z) applies stablehlo.minimum across dimensions = [1] : (tensor<100x200xf32>, tensor<f32>) -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// The elements of a reduction of broadcast operands are also made contiguous, behind a barrier.
// CHECK-LABEL: func.func @norms
// CHECK: %[[T:.*]] = stablehlo.transpose %arg1, dims = [1, 0]
// CHECK: %[[Y:.*]] = stablehlo.optimization_barrier %[[T]] : tensor<9x200xf32>
// CHECK: stablehlo.broadcast_in_dim %[[Y]], dims = [2, 1] : (tensor<9x200xf32>) -> tensor<100x200x9xf32>
// CHECK-NOT: stablehlo.reduce({{.*}} dimensions = [2]
// CHECK-COUNT-9: stablehlo.add
// CHECK: stablehlo.reduce
func.func @norms(%x: tensor<100x9xf32>, %y: tensor<200x9xf32>) -> tensor<100xf32> {
  %n = stablehlo.constant dense<0.0> : tensor<f32>
  %z = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %a = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<100x9xf32>) -> tensor<100x200x9xf32>
  %b = stablehlo.broadcast_in_dim %y, dims = [1, 2] : (tensor<200x9xf32>) -> tensor<100x200x9xf32>
  %c = stablehlo.subtract %a, %b : tensor<100x200x9xf32>
  %d = stablehlo.multiply %c, %c : tensor<100x200x9xf32>
  %e = stablehlo.reduce(%d init: %n) applies stablehlo.add across dimensions = [2] : (tensor<100x200x9xf32>, tensor<f32>) -> tensor<100x200xf32>
  %r = stablehlo.reduce(%e init: %z) applies stablehlo.minimum across dimensions = [1] : (tensor<100x200xf32>, tensor<f32>) -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// Unchanged: reductions of many elements, along an outer dimension, and with few results; and a dot with other users.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: stablehlo.reduce
// CHECK: stablehlo.dot_general
// CHECK: return
func.func @others(%a: tensor<300x9xf32>, %b: tensor<2x300xf32>, %c: tensor<30x2xf32>, %x: tensor<100x2xf32>) -> (tensor<300xf32>, tensor<300xf32>, tensor<30xf32>, tensor<100x100xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<300x9xf32>, tensor<f32>) -> tensor<300xf32>
  %1 = stablehlo.reduce(%b init: %z) applies stablehlo.add across dimensions = [0] : (tensor<2x300xf32>, tensor<f32>) -> tensor<300xf32>
  %2 = stablehlo.reduce(%c init: %z) applies stablehlo.add across dimensions = [1] : (tensor<30x2xf32>, tensor<f32>) -> tensor<30xf32>
  %3 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<100x2xf32>, tensor<100x2xf32>) -> tensor<100x100xf32>
  return %0, %1, %2, %3 : tensor<300xf32>, tensor<300xf32>, tensor<30xf32>, tensor<100x100xf32>
}

// A reduction along no dimension, of a scalar.
// CHECK-LABEL: func.func @scalar
// CHECK: stablehlo.reduce
func.func @scalar(%x: tensor<i1>) -> tensor<i1> {
  %f = stablehlo.constant dense<false> : tensor<i1>
  %0 = stablehlo.reduce(%x init: %f) applies stablehlo.or across dimensions = [] : (tensor<i1>, tensor<i1>) -> tensor<i1>
  return %0 : tensor<i1>
}
