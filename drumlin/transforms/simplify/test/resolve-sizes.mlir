// RUN: drumlin-opt --resolve-sizes --split-input-file %s | FileCheck %s

// Each dynamic dimension is a symbol, named after the argument or by the program. The operands of an operation have equal sizes, so the
// second argument has the symbols of the first.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<97x101xf32, #sizes.of<"b, arg0_1">>,
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<97x101xf32, #sizes.of<"b, arg0_1">>)
// CHECK-SAME: -> tensor<97x101xf32, #sizes.of<"b, arg0_1">>
// CHECK-SAME: sizes.symbols = [#sizes.symbol<"b", nominal = 97, from = 0, to = 2147483647>,
// CHECK-SAME: #sizes.symbol<"arg0_1", nominal = 101, from = 0, to = 2147483647>]
// CHECK-NEXT: stablehlo.add {{.*}} : tensor<97x101xf32, #sizes.of<"b, arg0_1">>
// CHECK-NEXT: return
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = stablehlo.get_dimension_size %y, dim = 0 {plan.size_name = "b"} : (tensor<?x?xf32>) -> tensor<i32>
  %1 = stablehlo.add %x, %y : tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

// A program of static sizes stays as it is.
// CHECK-LABEL: func.func @main(%{{.*}}: tensor<2xf32>) -> tensor<2xf32> {
// CHECK-NEXT: stablehlo.negate
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// A bound is the maximum of a size. Assertions bound a size too. An assertion about several sizes becomes a constraint.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: sizes.constraints = ["arg0_0 - arg1_0 >= 0"]
// CHECK-SAME: #sizes.symbol<"arg0_0", nominal = {{[0-9]+}}, from = 4, to = 512>
// CHECK-NOT: custom_call
func.func @main(%x: tensor<?xf32, #stablehlo.bounds<512>>, %y: tensor<?xf32>) -> tensor<?xf32, #stablehlo.bounds<512>> {
  %c4 = stablehlo.constant dense<4> : tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32, #stablehlo.bounds<512>>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %0 = stablehlo.compare GE, %n, %c4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%0, %n) {has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %1 = stablehlo.compare LE, %m, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%1, %n) {has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  return %x : tensor<?xf32, #stablehlo.bounds<512>>
}

// -----

// If a size is asserted to be a multiple of a number, the quotient becomes the symbol. Both ways of writing the result's size are then
// equal.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: tensor<388xf32, #sizes.of<"4 * arg0_0_by_4">>
// CHECK-NEXT: stablehlo.reshape {{.*}} -> tensor<97x4xf32, #sizes.of<"arg0_0_by_4, 4">>
// CHECK-NEXT: return
func.func @main(%x: tensor<?xf32>) -> tensor<?x4xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c4 = stablehlo.constant dense<4> : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<1xi32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %0 = stablehlo.remainder %n, %c4 : tensor<i32>
  %1 = stablehlo.compare EQ, %0, %c0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%1) {has_side_effect = true} : (tensor<i1>) -> ()
  %2 = stablehlo.divide %n, %c4 : tensor<i32>
  %3 = stablehlo.reshape %2 : (tensor<i32>) -> tensor<1xi32>
  %4 = stablehlo.concatenate %3, %four, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %5 = stablehlo.dynamic_reshape %x, %4 : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  return %5 : tensor<?x4xf32>
}

// -----

// Dynamic operations get their sizes as attributes. If attributes depend on symbols, they are also stored as expressions.
// CHECK-LABEL: func.func @main(
func.func @main(%x: tensor<?x3xf32>, %v: tensor<f32>) -> (tensor<?x3xf32>, tensor<?x4xf32>, tensor<?xi32>, tensor<?x2xf32>, tensor<?x1xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %zeros = stablehlo.constant dense<0> : tensor<2xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %d = stablehlo.add %n, %n : tensor<i32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %s2 = stablehlo.reshape %d : (tensor<i32>) -> tensor<1xi32>
  // CHECK: stablehlo.broadcast_in_dim {{.*}}, dims = [] : (tensor<f32>) -> tensor<97x3xf32, #sizes.of<"arg0_0, 3">>
  %shape = stablehlo.concatenate %s, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.dynamic_broadcast_in_dim %v, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x3xf32>
  // CHECK: stablehlo.pad {{.*}}, low = [97, 0], high = [0, 1], interior = [0, 0]
  // CHECK-SAME: sizes.attributes = {edge_padding_low = #sizes.of<"arg0_0, 0">}
  // CHECK-SAME: -> tensor<194x4xf32, #sizes.of<"2 * arg0_0, 4">>
  %zero1 = stablehlo.constant dense<0> : tensor<1xi32>
  %low = stablehlo.concatenate %s, %zero1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %high = stablehlo.concatenate %zero1, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %1 = stablehlo.dynamic_pad %x, %v, %low, %high, %zeros : (tensor<?x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x4xf32>
  // CHECK: stablehlo.iota dim = 0 : tensor<194xi32, #sizes.of<"2 * arg0_0">>
  %2 = stablehlo.dynamic_iota %s2, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  // CHECK: stablehlo.slice {{.*}} [0:97, 0:2] {sizes.attributes = {limit_indices = #sizes.of<"arg0_0, 2">}}
  %limit = stablehlo.concatenate %s, %two, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %3 = stablehlo.real_dynamic_slice %x, %zeros, %limit, %ones : (tensor<?x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x2xf32>
  // CHECK: stablehlo.gather
  // CHECK-SAME: slice_sizes = array<i64: 97, 1>
  // CHECK-SAME: sizes.attributes = {slice_sizes = #sizes.of<"arg0_0, 1">}
  %slice = stablehlo.concatenate %s, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %4 = "stablehlo.dynamic_gather"(%x, %one, %slice) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>}> : (tensor<?x3xf32>, tensor<1xi32>, tensor<2xi32>) -> tensor<?x1xf32>
  // CHECK: return
  return %0, %1, %2, %3, %4 : tensor<?x3xf32>, tensor<?x4xf32>, tensor<?xi32>, tensor<?x2xf32>, tensor<?x1xf32>
}

// -----

// Sizes propagate through dots, reductions, windows, and into loops.
// CHECK-LABEL: func.func @main(
func.func @main(%x: tensor<?x8xf32>, %w: tensor<8x?xf32>) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %true = stablehlo.constant dense<true> : tensor<i1>
  // CHECK: stablehlo.dot_general {{.*}} -> tensor<97x101xf32, #sizes.of<"arg0_0, arg1_1">>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x8xf32>, tensor<8x?xf32>) -> tensor<?x?xf32>
  // CHECK: stablehlo.transpose {{.*}} -> tensor<101x97xf32, #sizes.of<"arg1_1, arg0_0">>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK: stablehlo.concatenate {{.*}} -> tensor<202x97xf32, #sizes.of<"2 * arg1_1, arg0_0">>
  %2 = stablehlo.concatenate %1, %1, dim = 0 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK: "stablehlo.reduce_window"
  // CHECK: -> tensor<101x97xf32, #sizes.of<"arg1_1, arg0_0">>
  %3 = "stablehlo.reduce_window"(%2, %zero) <{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  // CHECK: stablehlo.while
  // CHECK: stablehlo.negate {{.*}} : tensor<101x97xf32, #sizes.of<"arg1_1, arg0_0">>
  %4 = stablehlo.while(%c = %3) : tensor<?x?xf32>
    cond { stablehlo.return %true : tensor<i1> }
    do {
      %n = stablehlo.negate %c : tensor<?x?xf32>
      stablehlo.return %n : tensor<?x?xf32>
    }
  // CHECK: stablehlo.reduce({{.*}} -> tensor<101xf32, #sizes.of<"arg1_1">>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  return %5 : tensor<?xf32>
}

// -----

// A window whose attributes are operands, which is how exported programs write running sums. Its body is the function that it names.
// CHECK-LABEL: func.func @main(
// CHECK: "stablehlo.reduce_window"
// CHECK-SAME: window_dimensions = array<i64: 97>
// CHECK: stablehlo.add
// CHECK: sizes.attributes = {padding = #sizes.of<"arg0_0 - 1, 0">, window_dimensions = #sizes.of<"arg0_0">}
// CHECK-NOT: func.func
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %none = stablehlo.constant dense<0> : tensor<1x1xi32>
  %size = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %n = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
  %before = stablehlo.subtract %n, %one : tensor<1xi32>
  %low = stablehlo.reshape %before : (tensor<1xi32>) -> tensor<1x1xi32>
  %row = stablehlo.concatenate %low, %none, dim = 0 : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<2x1xi32>
  %padding = stablehlo.reshape %row : (tensor<2x1xi32>) -> tensor<1x2xi32>
  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %init, %n, %one, %one, %one, %padding) {called_computations = [@sum]} : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// A negative number is divided as the program specifies. Here it is rounded down: -1 mod n is n - 1. A slice that starts at computed
// indices has the sizes by which its limits exceed its starts.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.slice %{{[a-z0-9]+}} [0:{{[0-9]+}}] {sizes.attributes = {limit_indices = #sizes.of<"arg0_0 - 1">}}
// CHECK: stablehlo.dynamic_slice %{{.*}} -> tensor<{{[0-9]+}}xf32, #sizes.of<"arg0_0 - 1">>
func.func @main(%x: tensor<?xf32>, %from: tensor<1xi32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %first = stablehlo.constant dense<0> : tensor<1xi32>
  %step = stablehlo.constant dense<1> : tensor<1xi32>
  %minus = stablehlo.constant dense<-1> : tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %some = stablehlo.compare GE, %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%some, %n) {has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %rest = stablehlo.remainder %minus, %n : tensor<i32>
  %inexact = stablehlo.compare NE, %rest, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %negative = stablehlo.compare LT, %rest, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %divisor = stablehlo.compare LT, %n, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %differ = stablehlo.compare NE, %negative, %divisor : (tensor<i1>, tensor<i1>) -> tensor<i1>
  %round = stablehlo.and %differ, %inexact : tensor<i1>
  %more = stablehlo.add %rest, %n : tensor<i32>
  %m = stablehlo.select %round, %more, %rest : tensor<i1>, tensor<i32>
  %size = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %0 = stablehlo.real_dynamic_slice %x, %first, %size, %step : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  %limit = stablehlo.add %from, %size : tensor<1xi32>
  %1 = stablehlo.real_dynamic_slice %x, %from, %limit, %step : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// Operands that give result sizes to code outside of the program are removed. A result without such an operand has the sizes of the operand
// whose memory it reuses.
// CHECK-LABEL: func.func @main(
// CHECK: stablehlo.custom_call @f(%{{[a-z0-9]+}}, %{{[a-z0-9]+}})
// CHECK-SAME: operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>]
// CHECK-SAME: operand_index = 1
// CHECK-NOT: indices_of_shape_operands
// CHECK-SAME: -> tensor<97x2xf32, #sizes.of<"arg0_0, 2">>
// CHECK: stablehlo.custom_call @g(%{{[a-z0-9]+}})
// CHECK-SAME: -> tensor<97x2xf32, #sizes.of<"arg0_0, 2">>
func.func @main(%x: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
  %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %sizes = stablehlo.concatenate %rows, %two, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.custom_call @f(%x, %sizes, %x) {indices_of_shape_operands = dense<1> : tensor<1xi64>,
    operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>],
    output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 2, operand_tuple_indices = []>]}
    : (tensor<?x2xf32>, tensor<2xi32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %1 = stablehlo.custom_call @g(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]}
    : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0, %1 : tensor<?x2xf32>, tensor<?x2xf32>
}

// -----

// An operation whose regions only compute sizes is removed together with its regions.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT: stablehlo.negate
// CHECK-NEXT: return
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %c = stablehlo.compare EQ, %n, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %0 = "stablehlo.if"(%c) ({
    %size = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %2 = stablehlo.dynamic_iota %size, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
    stablehlo.return %2 : tensor<?xf32>
  }, {
    %2 = stablehlo.add %x, %x : tensor<?xf32>
    stablehlo.return %2 : tensor<?xf32>
  }) : (tensor<i1>) -> tensor<?xf32>
  %1 = stablehlo.negate %x : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// A factorization needs square matrices, and both sides of a system have the same batch and size. Shape arithmetic is removed, including a
// loop that only computes sizes.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: tensor<97x101x101xf32, #sizes.of<"arg0_0, arg0_1, arg0_1">>,
// CHECK-SAME: tensor<97x101x105xf32, #sizes.of<"arg0_0, arg0_1, arg1_2">>)
// CHECK-NOT: while
func.func @main(%a: tensor<?x?x?xf32>, %b: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %w = stablehlo.while(%i = %zero) : tensor<i32>
    cond {
      %n = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x?x?xf32>) -> tensor<i32>
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %next = stablehlo.add %i, %i : tensor<i32>
      stablehlo.return %next : tensor<i32>
    }
  %0 = stablehlo.cholesky %a, lower = true : tensor<?x?x?xf32>
  %1 = "stablehlo.triangular_solve"(%0, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}
    : (tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %1 : tensor<?x?x?xf32>
}

// -----

// The nominal value of a size that is divided or reduced is so large that the result exceeds one. Otherwise the dimension would be assumed
// to always have one element.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: nominal = 291, from = 0
// CHECK: stablehlo.slice {{.*}} -> tensor<2x2xf32, #sizes.of<"floordiv(arg0_0, 128), 2">>
func.func @main(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
  %block = stablehlo.constant dense<128> : tensor<i32>
  %zeros = stablehlo.constant dense<0> : tensor<2xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %blocks = stablehlo.divide %n, %block : tensor<i32>
  %blocks1 = stablehlo.reshape %blocks : (tensor<i32>) -> tensor<1xi32>
  %limit = stablehlo.concatenate %blocks1, %two, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.real_dynamic_slice %x, %zeros, %limit, %ones : (tensor<?x2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// -----

// A part of a tensor is at most as large as the tensor, so smaller sizes of the tensor are excluded.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: sizes.constraints = ["arg1_0 - arg2_0 >= 0"]
// CHECK-SAME: #sizes.symbol<"arg0_0", nominal = {{[0-9]+}}, from = 3,
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>, %u: tensor<?xf32>, %i: tensor<i32>) -> (tensor<3xf32>, tensor<?xf32>) {
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [3] : (tensor<?xf32>, tensor<i32>) -> tensor<3xf32>
  %1 = stablehlo.dynamic_update_slice %y, %u, %i : (tensor<?xf32>, tensor<?xf32>, tensor<i32>) -> tensor<?xf32>
  return %0, %1 : tensor<3xf32>, tensor<?xf32>
}

// -----

// The number of features is a multiple of the number of groups.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: tensor<2x8x{{[0-9]+}}xf32, #sizes.of<"2, 8, 3 * [[INNER:arg1_1]]">>, %{{[a-z0-9]+}}: tensor<3x{{[0-9]+}}x{{[0-9]+}}xf32, #sizes.of<"3, [[INNER]], 3 * [[OUTER:arg1_2_by_3]]">>
// CHECK-SAME: -> tensor<2x6x{{[0-9]+}}xf32, #sizes.of<"2, 6, 3 * [[OUTER]]">>
func.func @main(%x: tensor<2x8x?xf32>, %w: tensor<3x?x?xf32>) -> tensor<2x6x?xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 3 : i64}
    : (tensor<2x8x?xf32>, tensor<3x?x?xf32>) -> tensor<2x6x?xf32>
  return %0 : tensor<2x6x?xf32>
}

// -----

// Batches of indices match the batches of elements, and an index vector has one number for each dimension that it addresses.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: tensor<[[B:[0-9]+]]x{{[0-9]+}}xf32, #sizes.of<"[[BATCH:arg0_0]], arg0_1">>, %{{[a-z0-9]+}}: tensor<[[B]]x{{[0-9]+}}x1xi32, #sizes.of<"[[BATCH]], arg1_1, 1">>
func.func @main(%x: tensor<?x?xf32>, %i: tensor<?x?x?xi32>) -> tensor<?x?xf32> {
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>,
    slice_sizes = array<i64: 1, 1>, indices_are_sorted = false} : (tensor<?x?xf32>, tensor<?x?x?xi32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @main(
// CHECK-SAME: #sizes.of<"[[BATCH:arg0_0]], arg0_1">>, %{{[a-z0-9]+}}: tensor<{{[0-9]+}}x{{[0-9]+}}x1xi32, #sizes.of<"[[BATCH]], [[COUNT:arg1_1]], 1">>, %{{[a-z0-9]+}}: tensor<{{[0-9]+}}x{{[0-9]+}}xf32, #sizes.of<"[[BATCH]], [[COUNT]]">>
func.func @main(%x: tensor<?x?xf32>, %i: tensor<?x?x?xi32>, %u: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>,
    indices_are_sorted = false, unique_indices = false} : (tensor<?x?xf32>, tensor<?x?x?xi32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
