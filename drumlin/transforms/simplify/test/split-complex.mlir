// RUN: drumlin-opt %s -split-input-file --split-complex | FileCheck %s

// The complex numbers of callers have an additional innermost dimension. The requested layout is for the other dimensions.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[A:.*]]: tensor<4x5x2xf32> {mhlo.layout_mode = "{2,0,1}", plan.complex},
// CHECK-SAME: %[[B:.*]]: tensor<4x5xf32>) -> (tensor<4x5x2xf32> {mhlo.layout_mode = "default", plan.complex})
// CHECK: %[[RE:.*]] = stablehlo.reshape %{{.*}} : (tensor<4x5x1xf32>) -> tensor<4x5xf32>
// CHECK: %[[IM:.*]] = stablehlo.reshape %{{.*}} : (tensor<4x5x1xf32>) -> tensor<4x5xf32>
// CHECK: %[[NEGATIVE:.*]] = stablehlo.negate %[[IM]]
// CHECK: stablehlo.add %[[RE]], %{{.*}}
// CHECK: stablehlo.add %[[NEGATIVE]], %{{.*}}
// CHECK: stablehlo.concatenate {{.*}}, dim = 2
func.func @main(%a: tensor<4x5xcomplex<f32>> {mhlo.layout_mode = "{0,1}"}, %b: tensor<4x5xf32>) -> tensor<4x5xcomplex<f32>> {
  %0 = chlo.conj %a : tensor<4x5xcomplex<f32>> -> tensor<4x5xcomplex<f32>>
  %1 = stablehlo.convert %b : (tensor<4x5xf32>) -> tensor<4x5xcomplex<f32>>
  %2 = stablehlo.add %0, %1 : tensor<4x5xcomplex<f32>>
  return %2 : tensor<4x5xcomplex<f32>>
}

// -----

// A sum is computed separately for real and imaginary parts. The parts of a product depend on both parts of the operands.
// CHECK-LABEL: func.func @reductions
// CHECK-COUNT-2: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
// CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}), (%{{.*}} init: %{{.*}}) across dimensions = [0] : (tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>)
func.func @reductions(%a: tensor<8xcomplex<f32>>, %z: tensor<complex<f32>>) -> (tensor<complex<f32>>, tensor<complex<f32>>) {
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<8xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
  %1 = stablehlo.reduce(%a init: %z) applies stablehlo.multiply across dimensions = [0] : (tensor<8xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
  return %0, %1 : tensor<complex<f32>>, tensor<complex<f32>>
}

// -----

// A comparator has two arguments for each operand. After the split, it has two for the real parts and two for the imaginary parts.
// CHECK-LABEL: func.func @sort
// CHECK: "stablehlo.sort"(%[[RE:.*]], %[[IM:.*]], %[[K:.*]]) <{dimension = 0 : i64, is_stable = true}>
// CHECK-NEXT: ^bb0(%[[RA:.*]]: tensor<f32>, %[[RB:.*]]: tensor<f32>, %[[IA:.*]]: tensor<f32>, %[[IB:.*]]: tensor<f32>, %{{.*}}: tensor<i32>, %{{.*}}: tensor<i32>):
// CHECK-NEXT: %[[LESS:.*]] = stablehlo.compare LT, %[[RA]], %[[RB]]
// CHECK-NEXT: stablehlo.return %[[LESS]]
func.func @sort(%re: tensor<8xf32>, %im: tensor<8xf32>, %k: tensor<8xi32>) -> tensor<8xf32> {
  %a = stablehlo.complex %re, %im : tensor<8xcomplex<f32>>
  %0:2 = "stablehlo.sort"(%a, %k) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<complex<f32>>, %y: tensor<complex<f32>>, %p: tensor<i32>, %q: tensor<i32>):
    %s = stablehlo.real %x : (tensor<complex<f32>>) -> tensor<f32>
    %t = stablehlo.real %y : (tensor<complex<f32>>) -> tensor<f32>
    %c = stablehlo.compare LT, %s, %t : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<8xcomplex<f32>>, tensor<8xi32>) -> (tensor<8xcomplex<f32>>, tensor<8xi32>)
  %1 = stablehlo.imag %0#0 : (tensor<8xcomplex<f32>>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Operations that take complex numbers directly still take and return them.
// CHECK-LABEL: func.func @whole
// CHECK: %[[C:.*]] = stablehlo.complex %arg0, %arg1
// CHECK: %[[F:.*]] = stablehlo.fft %[[C]], type = FFT, length = [8]
// CHECK: stablehlo.real %[[F]]
// CHECK: %[[IM:.*]] = stablehlo.imag %[[F]]
// CHECK: return %[[IM]]
func.func @whole(%re: tensor<8xf32>, %im: tensor<8xf32>) -> tensor<8xf32> {
  %a = stablehlo.complex %re, %im : tensor<8xcomplex<f32>>
  %0 = stablehlo.fft %a, type = FFT, length = [8] : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  %1 = stablehlo.imag %0 : (tensor<8xcomplex<f32>>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// A dot of complex numbers becomes four dots of real numbers. A loop carries real and imaginary parts.
// CHECK-LABEL: func.func @product
// CHECK: stablehlo.while(%{{.*}} = %arg0, %{{.*}} = %arg1, %{{.*}} = %{{.*}}) : tensor<4x4xf32>, tensor<4x4xf32>, tensor<i32>
// CHECK-COUNT-4: stablehlo.dot_general
// CHECK-NOT: complex
func.func @product(%re: tensor<4x4xf32>, %im: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %a = stablehlo.complex %re, %im : tensor<4x4xcomplex<f32>>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%x = %a, %i = %n) : tensor<4x4xcomplex<f32>>, tensor<i32>
  cond {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %c = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %y = stablehlo.dot_general %x, %a, contracting_dims = [1] x [0] : (tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
    %j = stablehlo.subtract %i, %one : tensor<i32>
    stablehlo.return %y, %j : tensor<4x4xcomplex<f32>>, tensor<i32>
  }
  %1 = stablehlo.real %0#0 : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// The imaginary part of a real number is zero. In a type without zero it is NaN.
// CHECK-LABEL: func.func @imaginary_of_real
// CHECK-DAG: stablehlo.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK-DAG: stablehlo.constant dense<0xFF> : tensor<2xf8E8M0FNU>
func.func @imaginary_of_real(%a: tensor<2xf32>, %b: tensor<2xf8E8M0FNU>) -> (tensor<2xf32>, tensor<2xf8E8M0FNU>) {
  %0 = stablehlo.imag %a : tensor<2xf32>
  %1 = stablehlo.imag %b : tensor<2xf8E8M0FNU>
  return %0, %1 : tensor<2xf32>, tensor<2xf8E8M0FNU>
}

// -----

// Values that are only moved are moved as pairs, with an additional dimension for the parts. For reversals, each part is reversed
// separately, since the order within pairs must stay.
// CHECK-LABEL: func.func @moved
// CHECK-SAME: %[[A:.*]]: tensor<4x5x2xf32>
// CHECK: %[[G:.*]] = "stablehlo.gather"(%[[A]], %{{.*}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 5, 2>}>
// CHECK: %[[T:.*]] = stablehlo.transpose %[[G]], dims = [1, 0, 2] : (tensor<3x5x2xf32>) -> tensor<5x3x2xf32>
// CHECK: %[[S:.*]] = stablehlo.slice %[[T]] [0:5:2, 1:3, 0:2] : (tensor<5x3x2xf32>) -> tensor<3x2x2xf32>
// CHECK: %[[B:.*]] = stablehlo.broadcast_in_dim %[[S]], dims = [0, 2, 3] : (tensor<3x2x2xf32>) -> tensor<3x7x2x2xf32>
// CHECK: return %[[B]]
func.func @moved(%a: tensor<4x5xcomplex<f32>>, %i: tensor<3x1xi32>) -> tensor<3x7x2xcomplex<f32>> {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 5>}> : (tensor<4x5xcomplex<f32>>, tensor<3x1xi32>) -> tensor<3x5xcomplex<f32>>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<3x5xcomplex<f32>>) -> tensor<5x3xcomplex<f32>>
  %2 = stablehlo.slice %1 [0:5:2, 1:3] : (tensor<5x3xcomplex<f32>>) -> tensor<3x2xcomplex<f32>>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 2] : (tensor<3x2xcomplex<f32>>) -> tensor<3x7x2xcomplex<f32>>
  return %3 : tensor<3x7x2xcomplex<f32>>
}

// -----

// Pairs are rebuilt if a part has other users, if the parts come from different tensors, or if the parts are computed.
// CHECK-LABEL: func.func @apart
// CHECK: stablehlo.concatenate {{.*}}, dim = 1 : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
// CHECK: stablehlo.concatenate {{.*}}, dim = 1 : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x2xf32>
func.func @apart(%a: tensor<4xcomplex<f32>>, %b: tensor<4xcomplex<f32>>) -> (tensor<3xcomplex<f32>>, tensor<3xf32>, tensor<4xcomplex<f32>>) {
  %0 = stablehlo.slice %a [1:4] : (tensor<4xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  %2 = stablehlo.negate %1 : tensor<3xf32>
  %3 = stablehlo.real %a : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %4 = stablehlo.imag %b : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %5 = stablehlo.complex %3, %4 : tensor<4xcomplex<f32>>
  return %0, %2, %5 : tensor<3xcomplex<f32>>, tensor<3xf32>, tensor<4xcomplex<f32>>
}

// -----

// Padding whose real and imaginary parts are equal, as libraries write it: a converted integer.
// CHECK-LABEL: func.func @padded
// CHECK-SAME: %[[A:.*]]: tensor<4x5x2xf32>
// CHECK: %[[P:.*]] = stablehlo.pad %[[A]], %{{.*}}, low = [1, 1, 0], high = [1, 2, 0], interior = [0, 0, 0] : (tensor<4x5x2xf32>, tensor<f32>) -> tensor<6x8x2xf32>
// CHECK: return %[[P]]
func.func @padded(%a: tensor<4x5xcomplex<f32>>) -> tensor<6x8xcomplex<f32>> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.convert %c : (tensor<i32>) -> tensor<complex<f32>>
  %1 = stablehlo.pad %a, %0, low = [1, 1], high = [1, 2], interior = [0, 0] : (tensor<4x5xcomplex<f32>>, tensor<complex<f32>>) -> tensor<6x8xcomplex<f32>>
  return %1 : tensor<6x8xcomplex<f32>>
}

// -----

// The real part of 1 is 1 and its imaginary part is 0. Each part is padded with its own value.
// CHECK-LABEL: func.func @padded_with_one
// CHECK-COUNT-2: stablehlo.pad
func.func @padded_with_one(%a: tensor<4xcomplex<f32>>) -> tensor<6xcomplex<f32>> {
  %c = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.convert %c : (tensor<i32>) -> tensor<complex<f32>>
  %1 = stablehlo.pad %a, %0, low = [1], high = [1], interior = [0] : (tensor<4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<6xcomplex<f32>>
  return %1 : tensor<6xcomplex<f32>>
}
