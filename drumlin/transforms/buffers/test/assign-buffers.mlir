// RUN: drumlin-opt --assign-buffers %s | FileCheck %s

// Every value gets its memory.

// Kernels that read other elements than they write, so they can't compute in place.
plan.kernel @f kind(loop) key("f") (%a: tensor<64xf32>) {
  %0 = stablehlo.reverse %a, dims = [0] : tensor<64xf32>
  plan.yield %0 : tensor<64xf32>
}
plan.kernel @g kind(loop) key("g") (%a: tensor<64xf32>, %b: tensor<64xf32>) {
  %0 = stablehlo.add %a, %b : tensor<64xf32>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<64xf32>
  plan.yield %1 : tensor<64xf32>
}
plan.kernel @h kind(loop) key("h") (%a: tensor<8x8xf32>, %b: tensor<64xf32>) {
  %0 = stablehlo.reshape %a : (tensor<8x8xf32>) -> tensor<64xf32>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<64xf32>
  %2 = stablehlo.add %1, %b : tensor<64xf32>
  plan.yield %2 : tensor<64xf32>
}
plan.kernel @e kind(loop) key("e") (%a: tensor<0xf32>) {
  %0 = stablehlo.reverse %a, dims = [0] : tensor<0xf32>
  plan.yield %0 : tensor<0xf32>
}
// A kernel that reads each element at the position at which it writes the result.
plan.kernel @negate kind(loop) key("n") (%a: tensor<64xf32>) {
  %0 = stablehlo.negate %a : tensor<64xf32>
  plan.yield %0 : tensor<64xf32>
}

// A result's memory is free before the result is written. Smaller values that are dead by then are placed in it, so they need no arena.
plan.kernel @small kind(loop) key("s") (%a: tensor<64xf32>) {
  %0 = stablehlo.slice %a [0:16] : (tensor<64xf32>) -> tensor<16xf32>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<16xf32>
  plan.yield %1 : tensor<16xf32>
}
plan.kernel @shrink kind(loop) key("t") (%a: tensor<16xf32>) {
  %0 = stablehlo.slice %a [0:2] : (tensor<16xf32>) -> tensor<2xf32>
  plan.yield %0 : tensor<2xf32>
}
plan.kernel @turn kind(loop) key("w") (%a: tensor<2xf32>) {
  %0 = stablehlo.reverse %a, dims = [0] : tensor<2xf32>
  plan.yield %0 : tensor<2xf32>
}
plan.kernel @pick kind(loop) key("v") (%a: tensor<16xf32>, %b: tensor<16xf32>, %c: tensor<64xf32>) {
  %0 = stablehlo.slice %a [0:2] : (tensor<16xf32>) -> tensor<2xf32>
  %1 = stablehlo.slice %b [0:2] : (tensor<16xf32>) -> tensor<2xf32>
  %2 = stablehlo.slice %c [0:2] : (tensor<64xf32>) -> tensor<2xf32>
  %3 = stablehlo.add %0, %1 : tensor<2xf32>
  %4 = stablehlo.add %3, %2 : tensor<2xf32>
  plan.yield %4 : tensor<2xf32>
}
plan.kernel @spread kind(loop) key("u") (%a: tensor<2xf32>) {
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<2xf32>) -> tensor<32x2xf32>
  plan.yield %0 : tensor<32x2xf32>
}
// CHECK-LABEL: func.func @rooms
// CHECK-SAME: plan.arena_bytes = 64 : i64
func.func @rooms(%x: tensor<64xf32>) -> tensor<32x2xf32> {
  // CHECK: plan.launch @small(%{{.*}}) {buffers = [#plan.buffer<result, 0, 0, 64>]}
  // CHECK: plan.launch @shrink(%{{.*}}) {buffers = [#plan.buffer<arena, 0, 0, 8>]}
  // CHECK: plan.launch @spread(%{{.*}}) {buffers = [#plan.buffer<result, 0, 0, 256>]}
  %0 = plan.launch @small(%x) : (tensor<64xf32>) -> tensor<16xf32>
  %1 = plan.launch @shrink(%0) : (tensor<16xf32>) -> tensor<2xf32>
  %2 = plan.launch @spread(%1) : (tensor<2xf32>) -> tensor<32x2xf32>
  return %2 : tensor<32x2xf32>
}
// A value as large as a result fits into the result's memory, and a value of few bytes into the memory of a small result.
// CHECK-LABEL: func.func @whole_rooms
// CHECK-SAME: plan.arena_bytes = 64 : i64
func.func @whole_rooms(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<2xf32>) {
  // CHECK: plan.launch @shrink(%{{.*}}) {buffers = [#plan.buffer<result, 1, 0, 8>]}
  // CHECK: plan.launch @spread(%{{.*}}) {buffers = [#plan.buffer<result, 0, 0, 256>]}
  // CHECK: plan.launch @small(%{{.*}}) {buffers = [#plan.buffer<arena, 0, 0, 64>]}
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<result, 0, 0, 256>]}
  // CHECK: plan.launch @shrink(%{{.*}}) {buffers = [#plan.buffer<result, 1, 0, 8>]}
  %k = stablehlo.constant dense<1.000000e+00> : tensor<16xf32>
  %0 = plan.launch @shrink(%k) : (tensor<16xf32>) -> tensor<2xf32>
  %1 = plan.launch @spread(%0) : (tensor<2xf32>) -> tensor<32x2xf32>
  %2 = plan.bitcast %1 : (tensor<32x2xf32>) -> tensor<64xf32>
  %3 = plan.launch @small(%2) : (tensor<64xf32>) -> tensor<16xf32>
  %4 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %5 = plan.launch @shrink(%3) : (tensor<16xf32>) -> tensor<2xf32>
  return %4, %5 : tensor<64xf32>, tensor<2xf32>
}
// A value that would extend beyond the result's memory doesn't fit, although both take the same number of cache lines.
// CHECK-LABEL: func.func @room_ends
// CHECK-SAME: plan.arena_bytes = 128 : i64
func.func @room_ends(%x: tensor<64xf32>) -> tensor<2xf32> {
  // CHECK: plan.launch @small(%{{.*}}) {buffers = [#plan.buffer<arena, 0, 0, 64>]}
  %0 = plan.launch @small(%x) : (tensor<64xf32>) -> tensor<16xf32>
  %1 = plan.launch @shrink(%0) : (tensor<16xf32>) -> tensor<2xf32>
  %2 = plan.launch @turn(%1) : (tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}
// If the kernel of a program result may compute the result in place, its input is already computed in the result's memory. No other values
// are then placed there.
// CHECK-LABEL: func.func @forms_of_a_result
// CHECK-SAME: plan.arena_bytes = 256 : i64
func.func @forms_of_a_result(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<result, 0, 0, 256>]}
  // CHECK: plan.launch @negate(%{{.*}}) {buffers = [#plan.buffer<result, 0, 0, 256>]}
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<result, 1, 0, 256>]}
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<arena, 0, 0, 256>]}
  // CHECK: plan.launch @negate(%{{.*}}) {buffers = [#plan.buffer<result, 0, 0, 256>]}
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<result, 1, 0, 256>]}
  %0 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1 = plan.launch @negate(%0) : (tensor<64xf32>) -> tensor<64xf32>
  %2 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %3 = plan.launch @f(%2) : (tensor<64xf32>) -> tensor<64xf32>
  %4 = plan.launch @negate(%1) : (tensor<64xf32>) -> tensor<64xf32>
  %5 = plan.launch @f(%3) : (tensor<64xf32>) -> tensor<64xf32>
  return %4, %5 : tensor<64xf32>, tensor<64xf32>
}
// The caller's memory of a donated argument is free once nothing reads the argument any more.
// CHECK-LABEL: func.func @room_behind_donated
// CHECK-SAME: plan.arena_bytes = 128 : i64
func.func @room_behind_donated(%x: tensor<64xf32>, %y: tensor<64xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<64xf32>, tensor<2xf32>) {
  // CHECK: plan.launch @small(%{{.*}}) {buffers = [#plan.buffer<arena, 0, 0, 64>]}
  // CHECK: plan.launch @small(%{{.*}}) {buffers = [#plan.buffer<arena, 0, 64, 64>]}
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<result, 0, 0, 256>]}
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<result, 0, 0, 256>]}
  %0 = plan.launch @small(%x) : (tensor<64xf32>) -> tensor<16xf32>
  %1 = plan.launch @small(%y) : (tensor<64xf32>) -> tensor<16xf32>
  %2 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %3 = plan.launch @pick(%0, %1, %2) : (tensor<16xf32>, tensor<16xf32>, tensor<64xf32>) -> tensor<2xf32>
  %4 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  return %4, %3 : tensor<64xf32>, tensor<2xf32>
}
// A value that a kernel overwrites with the result is placed in the caller's memory of a donated argument only if nothing reads the
// argument any more.
// CHECK-LABEL: func.func @form_behind_donated
func.func @form_behind_donated(%x: tensor<64xf32>, %y: tensor<64xf32> {tf.aliasing_output = 0 : i32}, %z: tensor<64xf32> {tf.aliasing_output = 1 : i32}) -> (tensor<64xf32>, tensor<64xf32>, tensor<16xf32>) {
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<result, 0, 0, 256>]}
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<arena, 0, 0, 256>]}
  // CHECK: plan.launch @small
  // CHECK: plan.launch @negate(%{{.*}}) {buffers = [#plan.buffer<result, 0, 0, 256>]}
  // CHECK: plan.launch @negate(%{{.*}}) {buffers = [#plan.buffer<result, 1, 0, 256>]}
  %0 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %2 = plan.launch @small(%z) : (tensor<64xf32>) -> tensor<16xf32>
  %3 = plan.launch @negate(%0) : (tensor<64xf32>) -> tensor<64xf32>
  %4 = plan.launch @negate(%1) : (tensor<64xf32>) -> tensor<64xf32>
  return %3, %4, %2 : tensor<64xf32>, tensor<64xf32>, tensor<16xf32>
}
// The memory of an unread donated argument is free from the beginning.
// CHECK-LABEL: func.func @room_in_unread_donated
// CHECK-SAME: plan.arena_bytes = 64 : i64
func.func @room_in_unread_donated(%x: tensor<64xf32>, %y: tensor<32x2xf32> {tf.aliasing_output = 0 : i32}) -> tensor<32x2xf32> {
  // CHECK: plan.launch @small(%{{.*}}) {buffers = [#plan.buffer<result, 0, 0, 64>]}
  %0 = plan.launch @small(%x) : (tensor<64xf32>) -> tensor<16xf32>
  %1 = plan.launch @shrink(%0) : (tensor<16xf32>) -> tensor<2xf32>
  %2 = plan.launch @spread(%1) : (tensor<2xf32>) -> tensor<32x2xf32>
  return %2 : tensor<32x2xf32>
}

// Program results are computed into their own buffers. Other values are in the arena, one after the other.
// CHECK-LABEL: func.func @results
// CHECK-SAME: plan.arena_bytes = {{[1-9][0-9]*}} : i64
func.func @results(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<arena, 0, {{[0-9]+}}, 256>]}
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<result, 1, 0, 256>]}
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<result, 0, 0, 256>]}
  %0 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1 = plan.launch @f(%0) : (tensor<64xf32>) -> tensor<64xf32>
  %2 = plan.launch @f(%0) : (tensor<64xf32>) -> tensor<64xf32>
  return %2, %1 : tensor<64xf32>, tensor<64xf32>
}

// Values with overlapping lifetimes don't overlap in memory, and memory of dead values is reused: four values take two locations, one of
// which is the result's.
// CHECK-LABEL: func.func @reuse
// CHECK-SAME: plan.arena_bytes = 256 : i64
func.func @reuse(%x: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: #plan.buffer<result, 0, 0, 256>
  // CHECK: #plan.buffer<arena, 0, 0, 256>
  // CHECK: #plan.buffer<result, 0, 0, 256>
  // CHECK: #plan.buffer<arena, 0, 0, 256>
  // CHECK: #plan.buffer<result, 0, 0, 256>
  %0 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1 = plan.launch @f(%0) : (tensor<64xf32>) -> tensor<64xf32>
  %2 = plan.launch @f(%1) : (tensor<64xf32>) -> tensor<64xf32>
  %3 = plan.launch @f(%2) : (tensor<64xf32>) -> tensor<64xf32>
  %4 = plan.launch @f(%3) : (tensor<64xf32>) -> tensor<64xf32>
  return %4 : tensor<64xf32>
}

// A value that is read again later keeps its memory until then: the values take three locations.
// CHECK-LABEL: func.func @long_life
// CHECK-SAME: plan.arena_bytes = 768 : i64
func.func @long_life(%x: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: #plan.buffer<arena, 0, [[A:[0-9]+]], 256>
  // CHECK-NOT: #plan.buffer<arena, 0, [[A]], 256>
  // CHECK: #plan.buffer<result, 0, 0, 256>
  %0 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1 = plan.launch @f(%0) : (tensor<64xf32>) -> tensor<64xf32>
  %2 = plan.launch @f(%1) : (tensor<64xf32>) -> tensor<64xf32>
  %3 = plan.launch @f(%2) : (tensor<64xf32>) -> tensor<64xf32>
  %4 = plan.launch @g(%3, %0) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %4 : tensor<64xf32>
}

// A bitcast has its operand's memory. It keeps the operand alive and has no buffer of its own.
// CHECK-LABEL: func.func @bitcast
// CHECK-SAME: plan.arena_bytes = 256 : i64
func.func @bitcast(%x: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: #plan.buffer<arena, 0, [[A:[0-9]+]], 256>
  // CHECK-NEXT: plan.bitcast %{{[0-9]+}} : (tensor<64xf32>) -> tensor<8x8xf32>
  // CHECK-NOT: #plan.buffer<arena, 0, [[A]], 256>
  // CHECK: return
  %0 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1 = plan.bitcast %0 : (tensor<64xf32>) -> tensor<8x8xf32>
  %2 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %3 = plan.launch @h(%1, %2) : (tensor<8x8xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %3 : tensor<64xf32>
}

// Results that no kernel computes are copied: an argument, a constant, and the second of two equal results.
// CHECK-LABEL: func.func @copied_results
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<64xf32>
func.func @copied_results(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<4xi32>) {
  // CHECK: %[[K:.*]] = stablehlo.constant {{.*}}#plan.buffer<weight, 0, 0, 16>
  // CHECK: %[[F:.*]] = plan.launch @f(%[[X]]) {{.*}}#plan.buffer<result, 0,
  // CHECK-DAG: %[[C1:.*]] = plan.copy %[[F]] reason("output") {buffers = [#plan.buffer<result, 1, 0, 256>]}
  // CHECK-DAG: %[[C2:.*]] = plan.copy %[[X]] reason("output") {buffers = [#plan.buffer<result, 2, 0, 256>]}
  // CHECK-DAG: %[[C3:.*]] = plan.copy %[[K]] reason("output") {buffers = [#plan.buffer<result, 3, 0, 16>]}
  // CHECK: return %[[F]], %[[C1]], %[[C2]], %[[C3]]
  %k = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %0 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  return %0, %0, %x, %k : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<4xi32>
}

// Carried values that are exchanged are copied; other carried values aren't.
// CHECK-LABEL: func.func @loop_carried
func.func @loop_carried(%x: tensor<64xf32>, %y: tensor<64xf32>, %z: tensor<64xf32>, %p: tensor<i1>) -> tensor<64xf32> {
  // CHECK: stablehlo.while(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}}, %[[Q:.*]] = %
  // CHECK-SAME: buffers = [#plan.buffer<result, 0, 0, 256>, #plan.buffer<arena, {{.*}}, 256>, #plan.buffer<arena, {{.*}}, 256>, #plan.buffer<arena, {{.*}}, 1>]
  // CHECK: do {
  // CHECK-DAG: %[[CA:.*]] = plan.copy %[[A]] reason("loop-carry")
  // CHECK-DAG: %[[CB:.*]] = plan.copy %[[B]] reason("loop-carry")
  // CHECK: stablehlo.return %[[CB]], %[[CA]], %[[C]], %[[Q]]
  %0:4 = stablehlo.while(%a = %x, %b = %y, %c = %z, %q = %p) : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<i1>
  cond {
    stablehlo.return %q : tensor<i1>
  } do {
    stablehlo.return %b, %a, %c, %q : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<i1>
  }
  return %0#0 : tensor<64xf32>
}

// A value from outside that a loop reads lives until the loop ends, so the body may not reuse its memory.
// CHECK-LABEL: func.func @read_in_a_loop
func.func @read_in_a_loop(%x: tensor<64xf32>, %p: tensor<i1>) -> tensor<64xf32> {
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<arena, 0, [[A:[0-9]+]], 256>]}
  // CHECK: do {
  // CHECK-NOT: #plan.buffer<arena, 0, [[A]], 256>
  // CHECK: }
  %0 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1:2 = stablehlo.while(%v = %x, %q = %p) : tensor<64xf32>, tensor<i1>
  cond {
    stablehlo.return %q : tensor<i1>
  } do {
    %2 = plan.launch @g(%v, %0) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %3 = plan.launch @f(%2) : (tensor<64xf32>) -> tensor<64xf32>
    %4 = plan.launch @f(%3) : (tensor<64xf32>) -> tensor<64xf32>
    stablehlo.return %4, %q : tensor<64xf32>, tensor<i1>
  }
  return %1#0 : tensor<64xf32>
}

// Values without elements have a buffer of size zero.
// CHECK-LABEL: func.func @empty
func.func @empty(%x: tensor<0xf32>) -> tensor<0xf32> {
  // CHECK: #plan.buffer<arena, 0, {{[0-9]+}}, 0>
  // CHECK: #plan.buffer<result, 0, 0, 0>
  %0 = plan.launch @e(%x) : (tensor<0xf32>) -> tensor<0xf32>
  %1 = plan.launch @e(%0) : (tensor<0xf32>) -> tensor<0xf32>
  return %1 : tensor<0xf32>
}

// A kernel that reads each element at the position at which it writes takes over the memory of an input without later users.
// CHECK-LABEL: func.func @in_place
// CHECK-SAME: plan.arena_bytes = 256 : i64
func.func @in_place(%x: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<arena, 0, [[A:[0-9]+]], 256>]}
  // CHECK: plan.launch @negate(%{{.*}}) {buffers = [#plan.buffer<arena, 0, [[A]], 256>]}
  %0 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1 = plan.launch @negate(%0) : (tensor<64xf32>) -> tensor<64xf32>
  %2 = plan.launch @f(%1) : (tensor<64xf32>) -> tensor<64xf32>
  return %2 : tensor<64xf32>
}

// The operand isn't overwritten if another operation still reads it.
// CHECK-LABEL: func.func @not_in_place
// CHECK-SAME: plan.arena_bytes = 512 : i64
func.func @not_in_place(%x: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<arena, 0, [[A:[0-9]+]], 256>]}
  // CHECK-NOT: plan.launch @negate(%{{.*}}) {buffers = [#plan.buffer<arena, 0, [[A]], 256>]}
  // CHECK: plan.launch @g
  %0 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1 = plan.launch @negate(%0) : (tensor<64xf32>) -> tensor<64xf32>
  %2 = plan.launch @g(%1, %0) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %2 : tensor<64xf32>
}

// An argument is never overwritten, since its memory is the caller's.
// CHECK-LABEL: func.func @argument_stays
// CHECK-SAME: plan.arena_bytes = 256 : i64
func.func @argument_stays(%x: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: plan.launch @negate(%{{.*}}) {buffers = [#plan.buffer<arena, 0, {{[0-9]+}}, 256>]}
  %0 = plan.launch @negate(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1 = plan.launch @f(%0) : (tensor<64xf32>) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}

// A loop's carried value is updated in place if nothing reads its old state any more.
// CHECK-LABEL: func.func @update_in_a_loop
func.func @update_in_a_loop(%x: tensor<64xf32>, %p: tensor<i1>) -> tensor<64xf32> {
  // CHECK: stablehlo.while({{.*}}buffers = [#plan.buffer<arena, 0, [[A:[0-9]+]], 256>
  // CHECK: plan.launch @negate(%{{.*}}) {buffers = [#plan.buffer<arena, 0, [[A]], 256>]}
  %0:2 = stablehlo.while(%v = %x, %q = %p) : tensor<64xf32>, tensor<i1>
  cond {
    stablehlo.return %q : tensor<i1>
  } do {
    %1 = plan.launch @negate(%v) : (tensor<64xf32>) -> tensor<64xf32>
    stablehlo.return %1, %q : tensor<64xf32>, tensor<i1>
  }
  %2 = plan.launch @f(%0#0) : (tensor<64xf32>) -> tensor<64xf32>
  return %2 : tensor<64xf32>
}

// Each branch computes its last value directly into the result's memory. A value that a branch only returns is copied there.
// CHECK-LABEL: func.func @branches
// CHECK-SAME: plan.arena_bytes = 256 : i64
func.func @branches(%i: tensor<i32>, %x: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK: "stablehlo.case"
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<arena, 0, 0, 256>]}
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<result, 0, 0, 256>]}
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<result, 0, 0, 256>]}
  // CHECK: {buffers = [#plan.buffer<result, 0, 0, 256>]} : (tensor<i32>) -> tensor<64xf32>
  %0 = "stablehlo.case"(%i) ({
    %1 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
    %2 = plan.launch @f(%1) : (tensor<64xf32>) -> tensor<64xf32>
    stablehlo.return %2 : tensor<64xf32>
  }, {
    %3 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
    stablehlo.return %3 : tensor<64xf32>
  }, {
    stablehlo.return %x : tensor<64xf32>
  }) : (tensor<i32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// The initial value of a loop without other users is computed into the carried value's memory. Both take one location, and the body takes
// another. The condition is in the result's memory.
// CHECK-LABEL: func.func @initial_value
// CHECK-SAME: plan.arena_bytes = 512 : i64
func.func @initial_value(%x: tensor<64xf32>, %p: tensor<i1>) -> tensor<64xf32> {
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<arena, 0, [[A:[0-9]+]], 256>]}
  // CHECK: stablehlo.while({{.*}}buffers = [#plan.buffer<arena, 0, [[A]], 256>
  %0 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1:2 = stablehlo.while(%v = %0, %q = %p) : tensor<64xf32>, tensor<i1>
  cond {
    stablehlo.return %q : tensor<i1>
  } do {
    %2 = plan.launch @f(%v) : (tensor<64xf32>) -> tensor<64xf32>
    stablehlo.return %2, %q : tensor<64xf32>, tensor<i1>
  }
  %3 = plan.launch @f(%1#0) : (tensor<64xf32>) -> tensor<64xf32>
  return %3 : tensor<64xf32>
}

// The initial value is computed into the program's result if the loop carries that result.
// CHECK-LABEL: func.func @initial_value_of_a_result
func.func @initial_value_of_a_result(%x: tensor<64xf32>, %p: tensor<i1>) -> tensor<64xf32> {
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<result, 0, 0, 256>]}
  // CHECK: stablehlo.while({{.*}}buffers = [#plan.buffer<result, 0, 0, 256>
  %0 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1:2 = stablehlo.while(%v = %0, %q = %p) : tensor<64xf32>, tensor<i1>
  cond {
    stablehlo.return %q : tensor<i1>
  } do {
    %2 = plan.launch @f(%v) : (tensor<64xf32>) -> tensor<64xf32>
    stablehlo.return %2, %q : tensor<64xf32>, tensor<i1>
  }
  return %1#0 : tensor<64xf32>
}

// An initial value isn't computed in the carried value's memory if it is read again: by another carried value, by the body, or after the
// loop.
// CHECK-LABEL: func.func @initial_value_stays
func.func @initial_value_stays(%x: tensor<64xf32>, %p: tensor<i1>) -> tensor<16xf32> {
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<arena, 0, [[A:[0-9]+]], 256>]}
  // CHECK: plan.launch @f(%{{.*}}) {buffers = [#plan.buffer<arena, 0, [[B:[0-9]+]], 256>]}
  // CHECK-NOT: stablehlo.while({{.*}}buffers = [#plan.buffer<arena, 0, [[A]], 256>
  // CHECK: stablehlo.while
  // CHECK-NOT: stablehlo.while({{.*}}buffers = [#plan.buffer<arena, 0, [[B]], 256>
  // CHECK: stablehlo.while
  %0 = plan.launch @f(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1 = plan.launch @f(%0) : (tensor<64xf32>) -> tensor<64xf32>
  %2:3 = stablehlo.while(%v = %0, %w = %0, %q = %p) : tensor<64xf32>, tensor<64xf32>, tensor<i1>
  cond {
    stablehlo.return %q : tensor<i1>
  } do {
    %5 = plan.launch @g(%v, %w) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    stablehlo.return %5, %w, %q : tensor<64xf32>, tensor<64xf32>, tensor<i1>
  }
  %3:2 = stablehlo.while(%v = %1, %q = %p) : tensor<64xf32>, tensor<i1>
  cond {
    stablehlo.return %q : tensor<i1>
  } do {
    %5 = plan.launch @g(%v, %1) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    stablehlo.return %5, %q : tensor<64xf32>, tensor<i1>
  }
  %4 = plan.launch @g(%2#0, %3#0) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %6 = plan.launch @small(%4) : (tensor<64xf32>) -> tensor<16xf32>
  return %6 : tensor<16xf32>
}
