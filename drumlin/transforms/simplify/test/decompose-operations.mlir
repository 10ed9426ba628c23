// RUN: drumlin-opt %s --decompose-operations | FileCheck %s

// CHECK-LABEL: func.func @square
func.func @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: stablehlo.multiply %{{.*}}, %{{.*}} : tensor<4xf32>
  %0 = chlo.square %x : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The square of complex numbers stays: `split-complex` has its formula.
// CHECK-LABEL: func.func @complex_square
func.func @complex_square(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // CHECK-NEXT: chlo.square
  %0 = chlo.square %x : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// CHECK-LABEL: func.func @tan_and_conj
func.func @tan_and_conj(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[TAN:.*]] = stablehlo.tan
  // CHECK-NEXT: return %[[TAN]]
  %0 = chlo.tan %x : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.conj %0 : tensor<4xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @infinities
func.func @infinities(%x: tensor<4xbf16>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  // CHECK: dense<0x7F80> : tensor<4xbf16>
  // CHECK-NEXT: stablehlo.abs
  // CHECK-NEXT: stablehlo.compare EQ
  // CHECK: dense<0x7F80> : tensor<4xbf16>
  // CHECK-NEXT: stablehlo.compare EQ
  // CHECK: dense<0xFF80> : tensor<4xbf16>
  // CHECK-NEXT: stablehlo.compare EQ
  %0 = chlo.is_inf %x : tensor<4xbf16> -> tensor<4xi1>
  %1 = chlo.is_pos_inf %x : tensor<4xbf16> -> tensor<4xi1>
  %2 = chlo.is_neg_inf %x : tensor<4xbf16> -> tensor<4xi1>
  return %0, %1, %2 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// The type has no infinities.
// CHECK-LABEL: func.func @no_infinities
func.func @no_infinities(%x: tensor<4xf8E4M3FN>) -> tensor<4xi1> {
  // CHECK-NEXT: stablehlo.constant dense<false>
  %0 = chlo.is_inf %x : tensor<4xf8E4M3FN> -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// Operands are aligned at their last dimensions, or as the attribute specifies. Dimensions of size 1 are repeated.
// CHECK-LABEL: func.func @broadcasts
func.func @broadcasts(%x: tensor<4xf32>, %y: tensor<4x4xf32>, %z: tensor<1x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK-NEXT: %[[A:.*]] = stablehlo.broadcast_in_dim %{{.*}}, dims = [1] : (tensor<4xf32>) -> tensor<4x4xf32>
  // CHECK-NEXT: stablehlo.add %[[A]], %{{.*}} : tensor<4x4xf32>
  // CHECK-NEXT: %[[B:.*]] = stablehlo.broadcast_in_dim %{{.*}}, dims = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
  // CHECK-NEXT: stablehlo.power %[[B]], %{{.*}} : tensor<4x4xf32>
  // CHECK-NEXT: %[[C:.*]] = stablehlo.broadcast_in_dim %{{.*}}, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<4x4xf32>
  // CHECK-NEXT: chlo.next_after %{{.*}}, %[[C]] : tensor<4x4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
  %0 = chlo.broadcast_add %x, %y : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = chlo.broadcast_power %x, %y {broadcast_dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = chlo.broadcast_next_after %y, %z : (tensor<4x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
  return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: func.func @compare_and_select
func.func @compare_and_select(%x: tensor<4xui8>, %y: tensor<3x4xui8>) -> tensor<3x4xui8> {
  // CHECK: %[[P:.*]] = stablehlo.compare GE, %{{.*}}, %{{.*}}, UNSIGNED : (tensor<3x4xui8>, tensor<3x4xui8>) -> tensor<3x4xi1>
  // CHECK: stablehlo.select %[[P]]
  %0 = chlo.broadcast_compare %x, %y {comparison_direction = #chlo<comparison_direction GE>, compare_type = #chlo<comparison_type UNSIGNED>} : (tensor<4xui8>, tensor<3x4xui8>) -> tensor<3x4xi1>
  %1 = chlo.broadcast_select %0, %x, %y : (tensor<3x4xi1>, tensor<4xui8>, tensor<3x4xui8>) -> tensor<3x4xui8>
  return %1 : tensor<3x4xui8>
}

// Floats can't be shifted.
// CHECK-LABEL: func.func @meaningless
func.func @meaningless(%x: tensor<4xf32>, %y: tensor<f32>) -> tensor<4xf32> {
  // CHECK: chlo.broadcast_shift_left
  %0 = chlo.broadcast_shift_left %x, %y : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Elements of rows are summed first, and then the sums of rows. Differences from the mean are computed where they are read.
// CHECK-LABEL: func.func @batch_norm_training
func.func @batch_norm_training(%x: tensor<8x4x5x5xf32>, %s: tensor<4xf32>, %o: tensor<4xf32>) -> (tensor<8x4x5x5xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[X:.*]] = stablehlo.reshape %{{.*}} : (tensor<8x4x5x5xf32>) -> tensor<8x4x25xf32>
  // CHECK: stablehlo.reduce(%[[X]] {{.*}} dimensions = [2]
  // CHECK: stablehlo.reduce{{.*}} dimensions = [0]
  // CHECK: %[[MEAN:.*]] = stablehlo.divide %{{.*}} : tensor<4xf32>
  // CHECK: %[[OPPOSITE:.*]] = stablehlo.subtract %{{.*}}, %[[X]]
  // CHECK: stablehlo.multiply %[[OPPOSITE]], %[[OPPOSITE]]
  // CHECK: %[[VARIANCE:.*]] = stablehlo.divide %{{.*}} : tensor<4xf32>
  // CHECK: stablehlo.sqrt %{{.*}} : tensor<4xf32>
  // CHECK: stablehlo.subtract %[[X]], %{{.*}}
  // CHECK: %[[Y:.*]] = stablehlo.reshape %{{.*}} -> tensor<8x4x5x5xf32>
  // CHECK: return %[[Y]], %[[MEAN]], %[[VARIANCE]]
  %r:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<8x4x5x5xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<8x4x5x5xf32>, tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1, %r#2 : tensor<8x4x5x5xf32>, tensor<4xf32>, tensor<4xf32>
}

// Partial sums of narrow numbers are not rounded.
// CHECK-LABEL: func.func @batch_norm_grad
func.func @batch_norm_grad(%x: tensor<8x4x5xbf16>, %s: tensor<4xbf16>, %g: tensor<8x4x5xbf16>) -> tensor<8x4x5xbf16> {
  // CHECK: stablehlo.reduce{{.*}} dimensions = [2] : (tensor<8x4x5xf32>, tensor<f32>) -> tensor<8x4xf32>
  // CHECK: stablehlo.reduce{{.*}} dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: stablehlo.convert %{{.*}} : (tensor<4xf32>) -> tensor<4xbf16>
  // CHECK-NOT: batch_norm_grad
  %r:3 = "stablehlo.batch_norm_grad"(%x, %s, %s, %s, %g) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<8x4x5xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<8x4x5xbf16>) -> (tensor<8x4x5xbf16>, tensor<4xbf16>, tensor<4xbf16>)
  return %r#0 : tensor<8x4x5xbf16>
}

// The diagonal of a 3 x 3 matrix is every fourth of nine elements. Labels that only one operand has are summed first.
// CHECK-LABEL: func.func @einsum
func.func @einsum(%a: tensor<3x3x2xf32>, %b: tensor<2x4x5xf32>) -> tensor<4x3xf32> {
  // CHECK: stablehlo.slice %{{.*}} [0:2, 0:9:4] : (tensor<2x9xf32>) -> tensor<2x3xf32>
  // CHECK: %[[LHS:.*]] = stablehlo.transpose %{{.*}}, dims = [1, 0]
  // CHECK: %[[RHS:.*]] = stablehlo.reduce{{.*}} dimensions = [2]
  // CHECK: %[[P:.*]] = stablehlo.dot_general %[[LHS]], %[[RHS]], contracting_dims = [1] x [0]
  // CHECK: stablehlo.transpose %[[P]], dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %r = "stablehlo.einsum"(%a, %b) <{einsum_config = "aab,bcd->ca"}> : (tensor<3x3x2xf32>, tensor<2x4x5xf32>) -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @older_forms
func.func @older_forms(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %i: tensor<2xi32>) -> (tensor<2x4xf32>, tensor<5x2x3xf32>, tensor<2x2xf32>, tensor<2x3xf32>) {
  // CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [1] x [0]
  // CHECK: stablehlo.broadcast_in_dim %{{.*}}, dims = [1, 2]
  // CHECK: "stablehlo.gather"{{.*}}offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1
  // CHECK-NOT: cross-replica-sum
  %0 = stablehlo.dot %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.broadcast %a, sizes = [5] : (tensor<2x3xf32>) -> tensor<5x2x3xf32>
  %2 = "stablehlo.torch_index_select"(%a, %i) <{batch_dims = 0 : i64, dim = 1 : i64}> : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x2xf32>
  %3 = "stablehlo.cross-replica-sum"(%a) <{replica_groups = dense<[[0]]> : tensor<1x1xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %1, %2, %3 : tensor<2x4xf32>, tensor<5x2x3xf32>, tensor<2x2xf32>, tensor<2x3xf32>
}

// One process can't compute a sum over two replicas.
// CHECK-LABEL: func.func @two_replicas
func.func @two_replicas(%a: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK-NEXT: cross-replica-sum
  %0 = "stablehlo.cross-replica-sum"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// All branches are computed, and each element selects the result of its own branch.
// CHECK-LABEL: func.func @map
func.func @map(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[P:.*]] = stablehlo.compare LT, %arg0, %arg1
  // CHECK: %[[SUM:.*]] = stablehlo.add %arg0, %arg1 : tensor<4xf32>
  // CHECK: stablehlo.select %[[P]], %[[SUM]], %arg1
  %r = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %c = "stablehlo.if"(%p) ({
      %d = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %d : tensor<f32>
    }, {
      stablehlo.return %b : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// A body that builds a tensor for each element is applied to one element at a time.
// CHECK-LABEL: func.func @map_by_elements
func.func @map_by_elements(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: stablehlo.while
  // CHECK: stablehlo.dynamic_slice %arg0
  // CHECK: stablehlo.dynamic_update_slice
  %r = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>):
    %b = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %c = stablehlo.reduce(%b init: %a) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// Sums of floats have an order, unless the program allows any order.
// CHECK-LABEL: func.func @scans
func.func @scans(%x: tensor<5x3xf32>, %i: tensor<3xf32>) -> (tensor<5x3xf32>, tensor<5x3xf32>) {
  // CHECK: stablehlo.while
  %r:2 = chlo.scan(%x) inits (%i) dimension=0 attributes {is_reverse = false} {
  ^bb0(%a: tensor<3xf32>, %c: tensor<3xf32>):
    %z = stablehlo.add %a, %c : tensor<3xf32>
    stablehlo.return %z, %z : tensor<3xf32>, tensor<3xf32>
  } : (tensor<5x3xf32>, tensor<3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>)
  // CHECK: "stablehlo.reduce_window"(%arg0, %{{.*}}) <{padding = dense<{{\[\[}}4, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 5, 1>}>
  // CHECK: stablehlo.slice %{{.*}} [4:5, 0:3]
  // CHECK-NOT: stablehlo.while
  %s:2 = chlo.scan(%x) inits (%i) dimension=0 attributes {is_reverse = false, is_associative = true} {
  ^bb0(%a: tensor<3xf32>, %c: tensor<3xf32>):
    %z = stablehlo.add %a, %c : tensor<3xf32>
    stablehlo.return %z, %z : tensor<3xf32>, tensor<3xf32>
  } : (tensor<5x3xf32>, tensor<3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>)
  return %r#0, %s#0 : tensor<5x3xf32>, tensor<5x3xf32>
}

// A branch returns the number of the next draw, and later draws continue from that number.
// CHECK-LABEL: func.func @draws
func.func @draws(%p: tensor<i1>, %a: tensor<i32>, %b: tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>) {
  // CHECK: %[[IF:.*]]:2 = "stablehlo.if"
  // CHECK: stablehlo.return %{{.*}}, %{{.*}} : tensor<4xi32>, tensor<ui64>
  // CHECK: stablehlo.return %{{.*}}, %{{.*}} : tensor<4xi32>, tensor<ui64>
  // CHECK: stablehlo.and %[[IF]]#1
  // CHECK-NOT: stablehlo.rng
  %s = stablehlo.constant dense<[4]> : tensor<1xi64>
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<4xi32>
    stablehlo.return %1 : tensor<4xi32>
  }, {
    %2 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<i32>) -> tensor<4xi32>
    stablehlo.return %2 : tensor<4xi32>
  }) : (tensor<i1>) -> tensor<4xi32>
  %3 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<4xi32>
  return %0, %3 : tensor<4xi32>, tensor<4xi32>
}

// The two words of a block are adjacent along the first even dimension. The counter in the state advances by the number of blocks.
// CHECK-LABEL: func.func @threefry
func.func @threefry(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>) {
  // CHECK: stablehlo.concatenate %{{.*}}, %{{.*}}, dim = 2 : (tensor<3x2x1x1xui32>, tensor<3x2x1x1xui32>) -> tensor<3x2x2x1xui32>
  // CHECK: stablehlo.constant dense<6> : tensor<ui64>
  // CHECK-NOT: rng_bit_generator
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
  return %0, %1 : tensor<2xui64>, tensor<3x4xui32>
}

// No algorithm has a state of this type, so the operation stays.
// CHECK-LABEL: func.func @other_state
func.func @other_state(%s: tensor<4xui32>) -> (tensor<4xui32>, tensor<3x4xui32>) {
  // CHECK-NEXT: stablehlo.rng_bit_generator
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<4xui32>) -> (tensor<4xui32>, tensor<3x4xui32>)
  return %0, %1 : tensor<4xui32>, tensor<3x4xui32>
}

// The loop multiplies pieces of 64 rows, each by its group's matrix.
// CHECK-LABEL: func.func @ragged_dot
func.func @ragged_dot(%a: tensor<512x16xf32>, %b: tensor<8x16x32xf32>, %g: tensor<8xi64>) -> tensor<512x32xf32> {
  // CHECK: stablehlo.while
  // CHECK: stablehlo.dynamic_slice %{{.*}}, sizes = [1, 1, 64, 1, 16]
  // CHECK: stablehlo.dynamic_slice %{{.*}}, sizes = [1, 1, 16, 32]
  // CHECK: stablehlo.dot_general %{{.*}} : (tensor<1x64x16xf32>, tensor<1x16x32xf32>) -> tensor<1x64x32xf32>
  // CHECK: stablehlo.select
  // CHECK: stablehlo.dynamic_update_slice
  %r = "chlo.ragged_dot"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<512x16xf32>, tensor<8x16x32xf32>, tensor<8xi64>) -> tensor<512x32xf32>
  return %r : tensor<512x32xf32>
}

// CHECK-LABEL: func.func @upper_half
func.func @upper_half(%a: tensor<4xui16>) -> tensor<4xui16> {
  // CHECK: %[[P:.*]] = stablehlo.multiply %{{.*}}, %{{.*}} : tensor<4xui32>
  // CHECK: %[[U:.*]] = stablehlo.shift_right_logical %[[P]], %{{.*}} : tensor<4xui32>
  // CHECK: stablehlo.convert %[[U]] : (tensor<4xui32>) -> tensor<4xui16>
  %0 = chlo.mulhi %a, %a : tensor<4xui16>, tensor<4xui16> -> tensor<4xui16>
  return %0 : tensor<4xui16>
}

// Branches in a reduction's function become selects between the branches' results. A function with a loop stays.
// CHECK-LABEL: func.func @branches
func.func @branches(%x: tensor<4xi32>, %i: tensor<i32>) -> tensor<i32> {
  // CHECK: stablehlo.reduce(
  // CHECK: stablehlo.compare LT
  // CHECK-NOT: stablehlo.if
  // CHECK: stablehlo.select
  %r = "stablehlo.reduce"(%x, %i) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c = "stablehlo.if"(%p) ({
      stablehlo.return %a : tensor<i32>
    }, {
      stablehlo.return %b : tensor<i32>
    }) : (tensor<i1>) -> tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
  return %r : tensor<i32>
}

// No kernel supports a function with a loop. So the sum becomes a loop over the rows, which applies the function to all elements of a row
// at once.
// CHECK-LABEL: func.func @loop_in_a_reduction
func.func @loop_in_a_reduction(%x: tensor<5x7xi32>, %z: tensor<i32>) -> tensor<5xi32> {
  // CHECK: stablehlo.transpose
  // CHECK: stablehlo.while
  // CHECK: stablehlo.dynamic_slice
  // CHECK: stablehlo.while
  // CHECK: stablehlo.remainder {{.*}} : tensor<5xi32>
  // CHECK-NOT: across dimensions = [1]
  %r = stablehlo.reduce(%x init: %z) across dimensions = [1] : (tensor<5x7xi32>, tensor<i32>) -> tensor<5xi32>
    reducer(%a: tensor<i32>, %b: tensor<i32>) {
      %w:2 = stablehlo.while(%i = %a, %j = %b) : tensor<i32>, tensor<i32>
        cond {
          %c = stablehlo.compare NE, %j, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %m = stablehlo.remainder %i, %j : tensor<i32>
          stablehlo.return %j, %m : tensor<i32>, tensor<i32>
        }
      stablehlo.return %w#0 : tensor<i32>
    }
  return %r : tensor<5xi32>
}

// The operation becomes the i-th operand of the tuple.
// CHECK-LABEL: func.func @part_of_a_tuple(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @part_of_a_tuple(%x: tensor<4xf32>, %y: tensor<2xi32>) -> tensor<4xf32> {
  // CHECK: return %[[X]]
  %0 = stablehlo.tuple %y, %x : tuple<tensor<2xi32>, tensor<4xf32>>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2xi32>, tensor<4xf32>>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// If the tuple comes from elsewhere, the operation stays.
// CHECK-LABEL: func.func @part_of_an_argument(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @part_of_an_argument(%x: tuple<tensor<4xf32>>) -> tensor<4xf32> {
  // CHECK-NEXT: stablehlo.get_tuple_element
  %1 = stablehlo.get_tuple_element %x[0] : (tuple<tensor<4xf32>>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// JAX only checks whether `info` is zero. LAPACK leaves the triangle that it doesn't use unchanged.
// CHECK-LABEL: func.func @cholesky_of_lapack
// CHECK-SAME: %[[A:.*]]: tensor<2x3x3xf64>
func.func @cholesky_of_lapack(%a: tensor<2x3x3xf64>) -> (tensor<2x3x3xf64>, tensor<2xi1>) {
  // CHECK: %[[FACTOR:.*]] = stablehlo.cholesky %[[A]], lower = true
  // CHECK: %[[FAILED:.*]] = stablehlo.compare NE, %[[FIRST:.*]], %[[FIRST]]
  // CHECK: %[[READ:.*]] = stablehlo.compare GE
  // CHECK: %[[RESULT:.*]] = stablehlo.select %[[READ]], %[[FACTOR]], %[[A]]
  // CHECK: %[[INFO:.*]] = stablehlo.convert %[[FAILED]] : (tensor<2xi1>) -> tensor<2xi32>
  // CHECK: stablehlo.compare EQ, %[[INFO]]
  %0:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x3x3xf64>) -> (tensor<2x3x3xf64>, tensor<2xi32>)
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<i32>) -> tensor<2xi32>
  %1 = stablehlo.compare EQ, %0#1, %zeros, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  return %0#0, %1 : tensor<2x3x3xf64>, tensor<2xi1>
}

// If the program uses `info` in another way, LAPACK is called, since only LAPACK gives the exact number.
// CHECK-LABEL: func.func @info_of_lapack
func.func @info_of_lapack(%a: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>) {
  // CHECK-NEXT: stablehlo.custom_call @lapack_spotrf_ffi
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 85 : ui8}} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)
  return %0#0, %0#1 : tensor<3x3xf32>, tensor<i32>
}

// CHECK-LABEL: func.func @solves_of_the_blas
func.func @solves_of_the_blas(%a: tensor<3x3xcomplex<f32>>, %b: tensor<2x3xcomplex<f32>>, %c: tensor<4x4xf32>, %d: tensor<4x1xf32>) -> (tensor<2x3xcomplex<f32>>, tensor<4x1xf32>) {
  // CHECK: "stablehlo.triangular_solve"
  // CHECK-SAME: left_side = false, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true
  %0 = stablehlo.custom_call @lapack_ctrsm_ffi(%a, %b) {mhlo.backend_config = {diag = 85 : ui8, side = 82 : ui8, trans_x = 67 : ui8, uplo = 85 : ui8}} : (tensor<3x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
  // CHECK: "stablehlo.triangular_solve"
  // CHECK-SAME: left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false
  %1 = stablehlo.custom_call @lapack_strsm_ffi(%c, %d) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 67 : ui8, uplo = 76 : ui8}} : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  return %0, %1 : tensor<2x3xcomplex<f32>>, tensor<4x1xf32>
}

// Invalid calls of the routine are reported when they are executed.
// CHECK-LABEL: func.func @no_solves
func.func @no_solves(%a: tensor<3x3xf32>, %b: tensor<2x3xf32>, %empty: tensor<0x0xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<0x0xf32>) {
  // CHECK-NEXT: custom_call @lapack_strsm_ffi
  // CHECK-NEXT: custom_call @lapack_dtrsm_ffi
  // CHECK-NEXT: custom_call @lapack_strsm_ffi
  %0 = stablehlo.custom_call @lapack_strsm_ffi(%a, %b) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}} : (tensor<3x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.custom_call @lapack_dtrsm_ffi(%a, %b) {mhlo.backend_config = {diag = 78 : ui8, side = 82 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}} : (tensor<3x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.custom_call @lapack_strsm_ffi(%empty, %empty) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}} : (tensor<0x0xf32>, tensor<0x0xf32>) -> tensor<0x0xf32>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<0x0xf32>
}

// A reduction of several operands whose results are independent becomes several reductions.
// CHECK-LABEL: func.func @independent_sums
// CHECK: %[[Q:.*]] = stablehlo.reduce(%arg1 init: %{{.*}}) applies stablehlo.add across dimensions = [0]
// CHECK: %[[P:.*]]:2 = stablehlo.reduce(%arg0 init: %{{.*}}), (%arg2 init: %{{.*}}) across dimensions = [0]
// CHECK: return %[[P]]#0, %[[Q]], %[[P]]#1
func.func @independent_sums(%x: tensor<8xf32>, %y: tensor<8xf32>, %w: tensor<8xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r:3 = "stablehlo.reduce"(%x, %y, %w, %z, %z, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>, %e: tensor<f32>, %f: tensor<f32>):
    %g = stablehlo.maximum %a, %d : tensor<f32>
    %h = stablehlo.add %b, %e : tensor<f32>
    %i = stablehlo.multiply %g, %f : tensor<f32>
    %j = stablehlo.add %c, %i : tensor<f32>
    stablehlo.return %g, %h, %j : tensor<f32>, tensor<f32>, tensor<f32>
  }) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
  return %r#0, %r#1, %r#2 : tensor<f32>, tensor<f32>, tensor<f32>
}
