// RUN: drumlin-opt --assign-layouts %s | FileCheck %s
// RUN: drumlin-opt --assign-layouts --normalize-layouts %s | FileCheck %s --check-prefix=NORMAL

// Each value between kernels has one order. If an order is imposed, the value is copied.

// A static operand is stored in its kernel's order: [k, n], though the program has [n, k].
// CHECK-LABEL: func.func @static_operand
// CHECK-SAME: %[[W:.*]]: tensor<96x64xf32> {drumlin.static, plan.layout = #plan.layout<[0, 1]>}
// NORMAL-LABEL: func.func @static_operand
// NORMAL-SAME: tensor<64x96xf32> {drumlin.static, plan.layout = #plan.layout<[0, 1]>}
// NORMAL: stablehlo.dot_general {{.*}} contracting_dims = [1] x [0]
func.func @static_operand(%x: tensor<20x64xf32>, %w: tensor<96x64xf32> {drumlin.static}) -> tensor<20x96xf32> {
  %0 = plan.gemm(%a = %x : tensor<20x64xf32>, %b = %w : tensor<96x64xf32>) -> (tensor<20x96xf32>) {
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<20x64xf32>, tensor<96x64xf32>) -> tensor<20x96xf32>
    plan.yield %1 : tensor<20x96xf32>
  }
  return %0 : tensor<20x96xf32>
}

// An operand that may differ at every call keeps the caller's order.
// CHECK-LABEL: func.func @other_operand
// CHECK-NOT: plan.layout
// CHECK: return
func.func @other_operand(%x: tensor<20x64xf32>, %w: tensor<96x64xf32>) -> tensor<20x96xf32> {
  %0 = plan.gemm(%a = %x : tensor<20x64xf32>, %b = %w : tensor<96x64xf32>) -> (tensor<20x96xf32>) {
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<20x64xf32>, tensor<96x64xf32>) -> tensor<20x96xf32>
    plan.yield %1 : tensor<20x96xf32>
  }
  return %0 : tensor<20x96xf32>
}

// A weight that is used in place in the caller's file keeps the order that it has there.
// CHECK-LABEL: func.func @weight_in_place
// CHECK-NOT: plan.layout
// CHECK: return
func.func @weight_in_place(%x: tensor<20x64xf32>, %w: tensor<96x64xf32>) -> tensor<20x96xf32> attributes {plan.weights = ["w"], plan.weights_in_place} {
  %0 = plan.gemm(%a = %x : tensor<20x64xf32>, %b = %w : tensor<96x64xf32>) -> (tensor<20x96xf32>) {
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<20x64xf32>, tensor<96x64xf32>) -> tensor<20x96xf32>
    plan.yield %1 : tensor<20x96xf32>
  }
  return %0 : tensor<20x96xf32>
}

// The caller requests contiguous columns. The dot's operands are swapped, and nothing is copied.
// CHECK-LABEL: func.func @caller_asks_a_dot
// CHECK-SAME: -> (tensor<20x96xf32> {mhlo.layout_mode = "{0,1}", plan.layout = #plan.layout<[0, 1]>})
// CHECK: plan.gemm
// CHECK-SAME: layouts = [#plan.layout<[0, 1]>]
// CHECK-NOT: plan.copy
// NORMAL-LABEL: func.func @caller_asks_a_dot
// NORMAL: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [0] x [1] {plan.swapped} : (tensor<64x96xf32>, tensor<20x64xf32>) -> tensor<96x20xf32>
func.func @caller_asks_a_dot(%x: tensor<20x64xf32>, %w: tensor<64x96xf32>) -> (tensor<20x96xf32> {mhlo.layout_mode = "{0,1}"}) {
  %0 = plan.gemm(%a = %x : tensor<20x64xf32>, %b = %w : tensor<64x96xf32>) -> (tensor<20x96xf32>) {
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<20x64xf32>, tensor<64x96xf32>) -> tensor<20x96xf32>
    plan.yield %1 : tensor<20x96xf32>
  }
  return %0 : tensor<20x96xf32>
}

// A loop propagates the order from its input to its result; transposes inside cancel.
// CHECK-LABEL: func.func @caller_asks_a_loop
// CHECK-NOT: plan.copy
// NORMAL-LABEL: func.func @caller_asks_a_loop
// NORMAL: plan.loop(%[[A:.*]] = %{{.*}} : tensor<8x4xf32>) -> (tensor<8x4xf32>)
// NORMAL-NEXT: %[[N:.*]] = stablehlo.negate %[[A]]
// NORMAL-NEXT: plan.yield %[[N]]
func.func @caller_asks_a_loop(%x: tensor<4x8xf32> {mhlo.layout_mode = "{0,1}"}) -> (tensor<4x8xf32> {mhlo.layout_mode = "{0,1}"}) {
  %0 = plan.loop(%a = %x : tensor<4x8xf32>) -> (tensor<4x8xf32>) {
    %1 = stablehlo.negate %a : tensor<4x8xf32>
    plan.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// A kernel that only transposes is a bitcast if the caller's value already has the resulting order.
// NORMAL-LABEL: func.func @transpose_of_an_order
// NORMAL-NOT: plan.loop
// NORMAL: return
func.func @transpose_of_an_order(%x: tensor<4x8xf32> {mhlo.layout_mode = "{0,1}"}) -> tensor<8x4xf32> {
  %0 = plan.loop(%a = %x : tensor<4x8xf32>) -> (tensor<8x4xf32>) {
    %1 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    plan.yield %1 : tensor<8x4xf32>
  }
  return %0 : tensor<8x4xf32>
}

// A sort only supports row-major values. Values in other orders are copied for it.
// CHECK-LABEL: func.func @imposed_by_a_sort
// CHECK: plan.copy %{{.*}} reason("layout")
// CHECK: plan.sort
func.func @imposed_by_a_sort(%x: tensor<4x8xf32> {mhlo.layout_mode = "{0,1}"}) -> tensor<4x8xf32> {
  %0 = plan.sort(%a = %x : tensor<4x8xf32>) -> (tensor<4x8xf32>) {
    %1 = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %2 = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    plan.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// A reshape that can't leave the bytes in place becomes a transpose and a bitcast.
// NORMAL-LABEL: func.func @reshape_across
// NORMAL: plan.loop
// NORMAL-NEXT: stablehlo.transpose
// NORMAL: plan.bitcast
// NORMAL-NOT: stablehlo.reshape
// NORMAL: return
func.func @reshape_across(%x: tensor<4x8xf32> {mhlo.layout_mode = "{0,1}"}) -> tensor<2x16xf32> {
  %0 = stablehlo.reshape %x : (tensor<4x8xf32>) -> tensor<2x16xf32>
  return %0 : tensor<2x16xf32>
}

// A reshape that splits adjacent dimensions is free in a corresponding order.
// NORMAL-LABEL: func.func @reshape_along
// NORMAL-NOT: plan.loop
// NORMAL: plan.bitcast
func.func @reshape_along(%x: tensor<4x8xf32> {mhlo.layout_mode = "{0,1}"}) -> (tensor<4x2x4xf32> {mhlo.layout_mode = "auto"}) {
  %0 = stablehlo.reshape %x : (tensor<4x8xf32>) -> tensor<4x2x4xf32>
  return %0 : tensor<4x2x4xf32>
}

// A loop's carried value has one order in all of its regions.
// CHECK-LABEL: func.func @carried
// CHECK-NOT: plan.copy
// CHECK: return
// NORMAL-LABEL: func.func @carried
// NORMAL: stablehlo.while({{.*}}) : tensor<8x4xf32>, tensor<i1>
func.func @carried(%x: tensor<4x8xf32> {mhlo.layout_mode = "{0,1}"}, %p: tensor<i1>) -> (tensor<4x8xf32> {mhlo.layout_mode = "{0,1}"}) {
  %0:2 = stablehlo.while(%v = %x, %q = %p) : tensor<4x8xf32>, tensor<i1>
  cond {
    stablehlo.return %q : tensor<i1>
  } do {
    %1 = plan.loop(%a = %v : tensor<4x8xf32>) -> (tensor<4x8xf32>) {
      %2 = stablehlo.negate %a : tensor<4x8xf32>
      plan.yield %2 : tensor<4x8xf32>
    }
    stablehlo.return %1, %q : tensor<4x8xf32>, tensor<i1>
  }
  return %0#0 : tensor<4x8xf32>
}
