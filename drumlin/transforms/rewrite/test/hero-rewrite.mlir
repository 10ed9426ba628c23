// RUN: drumlin-opt --hero-rewrite %s | FileCheck %s

// Operations with their own traversal of their data become kernels.

// A sort with its comparator.
// CHECK-LABEL: func.func @sort
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
func.func @sort(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[S:.*]] = plan.sort(%[[A:.*]] = %[[X]] : tensor<8xf32>) -> (tensor<8xf32>)
  // CHECK: "stablehlo.sort"(%[[A]])
  // CHECK: stablehlo.compare LT
  // CHECK: plan.yield
  // CHECK: return %[[S]]
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Values that a sort moves together with its keys are results of the same kernel. Unused values are dropped.
// CHECK-LABEL: func.func @sort_of_pairs
func.func @sort_of_pairs(%x: tensor<8xf32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: %[[S:.*]] = plan.sort({{.*}}) -> (tensor<8xi32>)
  // CHECK: return %[[S]]
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<8xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>)
  return %0#1 : tensor<8xi32>
}

// top_k is a sort of which only the first elements are kept.
// CHECK-LABEL: func.func @top_k
func.func @top_k(%x: tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  // CHECK: plan.sort({{.*}}) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  // CHECK: chlo.top_k
  %0, %1 = chlo.top_k(%x, k = 3) : tensor<2x8xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xi32>
}

// CHECK-LABEL: func.func @scatter
func.func @scatter(%x: tensor<4x3xf32>, %i: tensor<5x1xi32>, %u: tensor<5x3xf32>) -> tensor<4x3xf32> {
  // CHECK: plan.scatter(
  // CHECK: "stablehlo.scatter"
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x3xf32>, tensor<5x1xi32>, tensor<5x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// A small constant is part of the kernel, not an input.
// CHECK-LABEL: func.func @select_and_scatter
func.func @select_and_scatter(%x: tensor<4x4xf32>, %s: tensor<2x2xf32>) -> tensor<4x4xf32> {
  // CHECK: plan.window(%{{.*}} = %{{.*}} : tensor<4x4xf32>, %{{.*}} = %{{.*}} : tensor<2x2xf32>) -> (tensor<4x4xf32>)
  // CHECK: stablehlo.constant
  // CHECK: "stablehlo.select_and_scatter"
  %i = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %i) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// Heroes inside loops.
// CHECK-LABEL: func.func @inside_a_loop
func.func @inside_a_loop(%x: tensor<8xf32>, %p: tensor<i1>) -> tensor<8xf32> {
  // CHECK: do {
  // CHECK: plan.sort
  %0:2 = stablehlo.while(%v = %x, %q = %p) : tensor<8xf32>, tensor<i1>
  cond {
    stablehlo.return %q : tensor<i1>
  } do {
    %1 = "stablehlo.sort"(%v) <{dimension = 0 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %2 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.return %1, %q : tensor<8xf32>, tensor<i1>
  }
  return %0#0 : tensor<8xf32>
}

// A Fourier transform absorbs the real and imaginary parts of its operand, and arithmetic and data movement that only it uses. It yields
// the parts of its result, or their transposes if these are the only users.
// CHECK-LABEL: func.func @transform
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[Y:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8x4xf32>
func.func @transform(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> (tensor<4x8xf32>, tensor<8x4xf32>) {
  // CHECK-NEXT: %[[E:.*]] = stablehlo.exponential %[[Y]]
  // CHECK-NEXT: %[[F:.*]]:2 = plan.fft(%[[A:.*]] = %[[X]] : tensor<4x8xf32>, %[[B:.*]] = %[[W]] : tensor<8x4xf32>, %[[C:.*]] = %[[E]] : tensor<4x8xf32>)
  // CHECK-NEXT: %[[T:.*]] = stablehlo.transpose %[[A]]
  // CHECK-NEXT: stablehlo.multiply %[[T]], %[[B]]
  // CHECK-NEXT: stablehlo.transpose %[[C]]
  // CHECK-NEXT: stablehlo.complex
  // CHECK-NEXT: stablehlo.fft
  // CHECK-NEXT: stablehlo.real
  // CHECK-NEXT: stablehlo.imag
  // CHECK-NEXT: stablehlo.transpose
  // CHECK-NEXT: plan.yield
  // CHECK: return %[[F]]#1, %[[F]]#0
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.multiply %0, %w : tensor<8x4xf32>
  %2 = stablehlo.exponential %y : tensor<4x8xf32>
  %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %4 = stablehlo.complex %1, %3 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xcomplex<f32>>
  %5 = stablehlo.fft %4, type = FFT, length = [4] : (tensor<8x4xcomplex<f32>>) -> tensor<8x4xcomplex<f32>>
  %6 = stablehlo.real %5 : (tensor<8x4xcomplex<f32>>) -> tensor<8x4xf32>
  %7 = stablehlo.imag %5 : (tensor<8x4xcomplex<f32>>) -> tensor<8x4xf32>
  %8 = stablehlo.transpose %6, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return %8, %7 : tensor<4x8xf32>, tensor<8x4xf32>
}

// Other passes handle dots, reductions and pointwise operations.
// CHECK-LABEL: func.func @what_stays
func.func @what_stays(%x: tensor<4x4xf32>, %i: tensor<f32>) -> (tensor<4x4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: stablehlo.add
  // CHECK-NEXT: stablehlo.dot_general
  // CHECK-NEXT: stablehlo.reduce
  // CHECK-NOT: plan.
  %0 = stablehlo.add %x, %x : tensor<4x4xf32>
  %1 = stablehlo.dot_general %0, %x, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %1, %2 : tensor<4x4xf32>, tensor<4xf32>
}

// A factorization, and a solve.
// CHECK-LABEL: func.func @triangular
// CHECK-SAME: %[[X:.*]]: tensor<2x8x8xf32>, %[[Y:.*]]: tensor<2x8x3xf32>
func.func @triangular(%x: tensor<2x8x8xf32>, %y: tensor<2x8x3xf32>) -> tensor<2x8x3xf32> {
  // CHECK: %[[L:.*]] = plan.triangular(%[[A:.*]] = %[[X]] : tensor<2x8x8xf32>) -> (tensor<2x8x8xf32>)
  // CHECK: stablehlo.cholesky %[[A]], lower = true
  // CHECK: %[[S:.*]] = plan.triangular(%[[B:.*]] = %[[L]] : tensor<2x8x8xf32>, %[[C:.*]] = %[[Y]] : tensor<2x8x3xf32>)
  // CHECK: "stablehlo.triangular_solve"(%[[B]], %[[C]])
  // CHECK: return %[[S]]
  %0 = stablehlo.cholesky %x, lower = true : tensor<2x8x8xf32>
  %1 = "stablehlo.triangular_solve"(%0, %y) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x8x8xf32>, tensor<2x8x3xf32>) -> tensor<2x8x3xf32>
  return %1 : tensor<2x8x3xf32>
}

// A kernel of complex numbers takes real and imaginary parts, and yields those parts that are used.
// CHECK-LABEL: func.func @complex
// CHECK-SAME: %[[X:.*]]: tensor<8x8xf32>, %[[Y:.*]]: tensor<8x8xf32>
func.func @complex(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK: %[[L:.*]]:2 = plan.triangular(%[[A:.*]] = %[[X]] : tensor<8x8xf32>, %[[B:.*]] = %[[Y]] : tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  // CHECK: %[[C:.*]] = stablehlo.complex %[[A]], %[[B]]
  // CHECK: %[[F:.*]] = stablehlo.cholesky %[[C]]
  // CHECK-DAG: %[[R:.*]] = stablehlo.real %[[F]]
  // CHECK-DAG: %[[I:.*]] = stablehlo.imag %[[F]]
  // CHECK: plan.yield %[[R]], %[[I]]
  // CHECK: return %[[L]]#0, %[[L]]#1
  %0 = stablehlo.complex %x, %y : tensor<8x8xcomplex<f32>>
  %1 = stablehlo.cholesky %0, lower = true : tensor<8x8xcomplex<f32>>
  %2 = stablehlo.real %1 : (tensor<8x8xcomplex<f32>>) -> tensor<8x8xf32>
  %3 = stablehlo.imag %1 : (tensor<8x8xcomplex<f32>>) -> tensor<8x8xf32>
  return %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>
}
