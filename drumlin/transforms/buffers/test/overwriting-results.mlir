// RUN: drumlin-opt --assign-buffers %s | FileCheck %s

// A kernel may write a smaller result over the beginning of its operand if the kernel is one work item and reads each element before it
// overwrites it.

plan.kernel @f kind(loop) key("f") (%a: tensor<64xf32>) {
  %0 = stablehlo.reverse %a, dims = [0] : tensor<64xf32>
  plan.yield %0 : tensor<64xf32>
}
plan.kernel @halve kind(loop) key("h") (%a: tensor<64xf32>) attributes {plan.schedule = #plan.loop<[flat, tile = 32]>} {
  %0 = stablehlo.slice %a [0:64:2] : (tensor<64xf32>) -> tensor<32xf32>
  plan.yield %0 : tensor<32xf32>
}
plan.kernel @halve_in_two_tasks kind(loop) key("i") (%a: tensor<64xf32>) attributes {plan.schedule = #plan.loop<[flat, tile = 16]>} {
  %0 = stablehlo.slice %a [0:64:2] : (tensor<64xf32>) -> tensor<32xf32>
  plan.yield %0 : tensor<32xf32>
}
plan.kernel @halve_both kind(loop) key("j") (%a: tensor<64xf32>, %b: tensor<64xf32>) attributes {plan.schedule = #plan.loop<[flat, tile = 32]>} {
  %0 = stablehlo.slice %a [0:64:2] : (tensor<64xf32>) -> tensor<32xf32>
  %1 = stablehlo.slice %b [1:64:2] : (tensor<64xf32>) -> tensor<32xf32>
  %2 = stablehlo.add %0, %1 : tensor<32xf32>
  plan.yield %2 : tensor<32xf32>
}
plan.kernel @split kind(loop) key("k") (%a: tensor<64xf32>) attributes {plan.schedule = #plan.loop<[flat, tile = 32]>} {
  %0 = stablehlo.slice %a [0:64:2] : (tensor<64xf32>) -> tensor<32xf32>
  %1 = stablehlo.slice %a [1:64:2] : (tensor<64xf32>) -> tensor<32xf32>
  plan.yield %0, %1 : tensor<32xf32>, tensor<32xf32>
}
plan.kernel @turn kind(loop) key("t") (%a: tensor<32xf32>) {
  %0 = stablehlo.reverse %a, dims = [0] : tensor<32xf32>
  plan.yield %0 : tensor<32xf32>
}
plan.kernel @quarter kind(loop) key("q") (%a: tensor<32xf32>) attributes {plan.schedule = #plan.loop<[flat, tile = 16]>} {
  %0 = stablehlo.slice %a [16:32] : (tensor<32xf32>) -> tensor<16xf32>
  plan.yield %0 : tensor<16xf32>
}
plan.kernel @last kind(loop) key("l") (%a: tensor<32xf32>) {
  %0 = stablehlo.reverse %a, dims = [0] : tensor<32xf32>
  %1 = stablehlo.slice %0 [0:2] : (tensor<32xf32>) -> tensor<2xf32>
  plan.yield %1 : tensor<2xf32>
}
plan.kernel @last_of_few kind(loop) key("m") (%a: tensor<16xf32>) {
  %0 = stablehlo.reverse %a, dims = [0] : tensor<16xf32>
  %1 = stablehlo.slice %0 [0:2] : (tensor<16xf32>) -> tensor<2xf32>
  plan.yield %1 : tensor<2xf32>
}
plan.kernel @last_of_two kind(loop) key("n") (%a: tensor<32xf32>, %b: tensor<64xf32>) {
  %0 = stablehlo.reverse %a, dims = [0] : tensor<32xf32>
  %1 = stablehlo.slice %0 [0:2] : (tensor<32xf32>) -> tensor<2xf32>
  %2 = stablehlo.slice %b [0:2] : (tensor<64xf32>) -> tensor<2xf32>
  %3 = stablehlo.add %1, %2 : tensor<2xf32>
  plan.yield %3 : tensor<2xf32>
}
plan.kernel @spread kind(loop) key("s") (%a: tensor<32xf32>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<32xf32>) -> tensor<4x32xf32>
  plan.yield %0 : tensor<4x32xf32>
}

// The memory after the result is free once the kernel has run, not before.
// CHECK-LABEL: func.func @over_the_operand
// CHECK-SAME: plan.arena_bytes = 256 : i64
func.func @over_the_operand(%x: tensor<64xf32>) -> tensor<2xf32> {
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<arena, 0, 0, 256>]}
  // CHECK: plan.launch @halve(%{{.*}}) {buffers = [#plan.buffer<arena, 0, 0, 128>]}
  // CHECK: plan.launch @turn(%{{.*}}) {buffers = [#plan.buffer<arena, 0, 128, 128>]}
  %0 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1 = plan.launch @halve(%0) : (tensor<64xf32>) -> tensor<32xf32>
  %2 = plan.launch @turn(%1) : (tensor<32xf32>) -> tensor<32xf32>
  %3 = plan.launch @last(%2) : (tensor<32xf32>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}

// The operand is read through a reshape. A piece of memory that is already free is preferred.
// CHECK-LABEL: func.func @through_a_reshape
// CHECK-SAME: plan.arena_bytes = 256 : i64
func.func @through_a_reshape(%x: tensor<64xf32>) -> tensor<2xf32> {
  // CHECK: plan.launch @halve(%{{.*}}) {buffers = [#plan.buffer<arena, 0, 0, 128>]}
  // CHECK: plan.launch @quarter(%{{.*}}) {buffers = [#plan.buffer<arena, 0, 128, 64>]}
  %0 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1 = plan.bitcast %0 : (tensor<64xf32>) -> tensor<8x8xf32>
  %2 = plan.bitcast %1 : (tensor<8x8xf32>) -> tensor<64xf32>
  %3 = plan.launch @halve(%2) : (tensor<64xf32>) -> tensor<32xf32>
  %4 = plan.launch @quarter(%3) : (tensor<32xf32>) -> tensor<16xf32>
  %5 = plan.launch @last_of_few(%4) : (tensor<16xf32>) -> tensor<2xf32>
  return %5 : tensor<2xf32>
}

// The operand isn't overwritten if another operation still reads it.
// CHECK-LABEL: func.func @operand_stays
// CHECK-SAME: plan.arena_bytes = 384 : i64
func.func @operand_stays(%x: tensor<64xf32>) -> tensor<2xf32> {
  // CHECK: plan.launch @halve(%{{.*}}) {buffers = [#plan.buffer<arena, 0, 256, 128>]}
  %0 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1 = plan.launch @halve(%0) : (tensor<64xf32>) -> tensor<32xf32>
  %2 = plan.launch @last_of_two(%1, %0) : (tensor<32xf32>, tensor<64xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// The operand isn't overwritten by several work items, which run in any order.
// CHECK-LABEL: func.func @several_tasks
// CHECK-SAME: plan.arena_bytes = 384 : i64
func.func @several_tasks(%x: tensor<64xf32>) -> tensor<2xf32> {
  // CHECK: plan.launch @halve_in_two_tasks(%{{.*}}) {buffers = [#plan.buffer<arena, 0, 256, 128>]}
  %0 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1 = plan.launch @halve_in_two_tasks(%0) : (tensor<64xf32>) -> tensor<32xf32>
  %2 = plan.launch @last(%1) : (tensor<32xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}

// One of two operands is overwritten. A value that is used as both operands is not overwritten.
// CHECK-LABEL: func.func @two_operands
// CHECK-SAME: plan.arena_bytes = 512 : i64
func.func @two_operands(%x: tensor<64xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  // CHECK: plan.launch @halve_both(%{{.*}}) {buffers = [#plan.buffer<arena, 0, 0, 128>]}
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<arena, 0, [[A:[0-9]+]], 256>]}
  // CHECK-NOT: plan.launch @halve_both(%{{.*}}) {buffers = [#plan.buffer<arena, 0, [[A]], 128>]}
  // CHECK: plan.launch @last(
  %0 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1 = plan.launch @f(%0) : (tensor<64xf32>) -> tensor<64xf32>
  %2 = plan.launch @halve_both(%0, %1) : (tensor<64xf32>, tensor<64xf32>) -> tensor<32xf32>
  %3 = plan.launch @last(%2) : (tensor<32xf32>) -> tensor<2xf32>
  %4 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %5 = plan.launch @halve_both(%4, %4) : (tensor<64xf32>, tensor<64xf32>) -> tensor<32xf32>
  %6 = plan.launch @last(%5) : (tensor<32xf32>) -> tensor<2xf32>
  return %3, %6 : tensor<2xf32>, tensor<2xf32>
}

// One of two results overwrites the operand. The other result is placed after the operand, not in the operand's remaining memory, which is
// still read.
// CHECK-LABEL: func.func @two_results
// CHECK-SAME: plan.arena_bytes = 384 : i64
func.func @two_results(%x: tensor<64xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  // CHECK: plan.launch @split(%{{.*}}) {buffers = [#plan.buffer<arena, 0, 0, 128>, #plan.buffer<arena, 0, 256, 128>]}
  %0 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1:2 = plan.launch @split(%0) : (tensor<64xf32>) -> (tensor<32xf32>, tensor<32xf32>)
  %2 = plan.launch @last(%1#0) : (tensor<32xf32>) -> tensor<2xf32>
  %3 = plan.launch @last(%1#1) : (tensor<32xf32>) -> tensor<2xf32>
  return %2, %3 : tensor<2xf32>, tensor<2xf32>
}

// If the operand is in a program result's memory, it may be overwritten there if that result begins later.
// CHECK-LABEL: func.func @in_a_room
// CHECK-SAME: plan.arena_bytes = 128 : i64
func.func @in_a_room(%x: tensor<64xf32>, %y: tensor<32xf32>) -> tensor<4x32xf32> {
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<result, 0, 0, 256>]}
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<result, 0, 256, 256>]}
  // CHECK: plan.launch @halve_both(%{{.*}}) {buffers = [#plan.buffer<result, 0, 0, 128>]}
  // CHECK: plan.launch @turn(%{{.*}}) {buffers = [#plan.buffer<arena, 0, 0, 128>]}
  %0 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1 = plan.launch @f(%0) : (tensor<64xf32>) -> tensor<64xf32>
  %2 = plan.launch @halve_both(%0, %1) : (tensor<64xf32>, tensor<64xf32>) -> tensor<32xf32>
  %3 = plan.launch @turn(%2) : (tensor<32xf32>) -> tensor<32xf32>
  %4 = plan.launch @spread(%3) : (tensor<32xf32>) -> tensor<4x32xf32>
  return %4 : tensor<4x32xf32>
}
// The value isn't placed in a program result's memory if the kernel of that result reads the value.
// CHECK-LABEL: func.func @read_by_the_result
// CHECK-SAME: plan.arena_bytes = 128 : i64
func.func @read_by_the_result(%x: tensor<64xf32>) -> tensor<4x32xf32> {
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<result, 0, 0, 256>]}
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<result, 0, 256, 256>]}
  // CHECK: plan.launch @halve_both(%{{.*}}) {buffers = [#plan.buffer<arena, 0, 0, 128>]}
  %0 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1 = plan.launch @f(%0) : (tensor<64xf32>) -> tensor<64xf32>
  %2 = plan.launch @halve_both(%0, %1) : (tensor<64xf32>, tensor<64xf32>) -> tensor<32xf32>
  %3 = plan.launch @spread(%2) : (tensor<32xf32>) -> tensor<4x32xf32>
  return %3 : tensor<4x32xf32>
}

// Values that a loop carries, or reads in each iteration, are needed in the next iteration.
// CHECK-LABEL: func.func @in_a_loop
func.func @in_a_loop(%x: tensor<64xf32>, %p: tensor<i1>) -> tensor<2xf32> {
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<arena, 0, [[A:[0-9]+]], 256>]}
  // CHECK: stablehlo.while({{.*}}buffers = [#plan.buffer<arena, 0, [[B:[0-9]+]], 256>
  // CHECK-NOT: plan.launch @halve{{[a-z_]*}}(%{{.*}}) {buffers = [#plan.buffer<arena, 0, [[A]], 128>]}
  // CHECK-NOT: plan.launch @halve{{[a-z_]*}}(%{{.*}}) {buffers = [#plan.buffer<arena, 0, [[B]], 128>]}
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<arena, 0, [[C:[0-9]+]], 256>]}
  // CHECK: plan.launch @halve(%{{.*}}) {buffers = [#plan.buffer<arena, 0, [[C]], 128>]}
  %0 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1:3 = stablehlo.while(%v = %x, %w = %x, %q = %p) : tensor<64xf32>, tensor<64xf32>, tensor<i1>
  cond {
    stablehlo.return %q : tensor<i1>
  } do {
    %2 = plan.launch @halve_both(%v, %0) : (tensor<64xf32>, tensor<64xf32>) -> tensor<32xf32>
    %3 = plan.launch @f(%w) : (tensor<64xf32>) -> tensor<64xf32>
    %4 = plan.launch @halve(%3) : (tensor<64xf32>) -> tensor<32xf32>
    %5 = plan.launch @join(%2, %4) : (tensor<32xf32>, tensor<32xf32>) -> tensor<64xf32>
    stablehlo.return %v, %5, %q : tensor<64xf32>, tensor<64xf32>, tensor<i1>
  }
  %6 = plan.launch @halve(%1#1) : (tensor<64xf32>) -> tensor<32xf32>
  %7 = plan.launch @last_of_two(%6, %1#0) : (tensor<32xf32>, tensor<64xf32>) -> tensor<2xf32>
  return %7 : tensor<2xf32>
}
plan.kernel @join kind(loop) key("o") (%a: tensor<32xf32>, %b: tensor<32xf32>) {
  %0 = stablehlo.concatenate %b, %a, dim = 0 : (tensor<32xf32>, tensor<32xf32>) -> tensor<64xf32>
  plan.yield %0 : tensor<64xf32>
}

// An argument is never overwritten, since its memory is the caller's.
// CHECK-LABEL: func.func @argument_stays
// CHECK-SAME: plan.arena_bytes = 128 : i64
func.func @argument_stays(%x: tensor<64xf32>) -> tensor<2xf32> {
  // CHECK: plan.launch @halve(%{{.*}}) {buffers = [#plan.buffer<arena, 0, 0, 128>]}
  %0 = plan.launch @halve(%x) : (tensor<64xf32>) -> tensor<32xf32>
  %1 = plan.launch @last(%0) : (tensor<32xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
