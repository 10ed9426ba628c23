// RUN: drumlin-opt %s --form-host-calls | FileCheck %s

// A column-major matrix is a transposed matrix in memory. The results of the code are transposed back.
// CHECK-LABEL: func.func @orders
// CHECK: %[[X:.*]] = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
// CHECK: %[[C:.*]] = plan.host_call <typed_ffi> "f"(%[[X]]) as (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-SAME: config = {uplo = 76 : ui8}
// CHECK-SAME: operand_layouts = [#plan.layout<[0, 1]>]
// CHECK-SAME: (tensor<3x2xf32>) -> tensor<3x2xf32>
// CHECK: stablehlo.transpose %[[C]], dims = [1, 0]
func.func @orders(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.custom_call @f(%a) {api_version = 4 : i32, backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
    result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// Donations count only the remaining results.
// CHECK-LABEL: func.func @tokens
// CHECK-SAME: (%arg0: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32>
// CHECK-NOT: create_token
// CHECK: stablehlo.while(%{{.*}} = %arg0) : tensor<4xf32>
// CHECK: plan.host_call <infeed> ""() as (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token) {config = "two", has_side_effect}
// CHECK: stablehlo.return %{{.*}} : tensor<4xf32>
// CHECK: plan.host_call <send> "7"(%{{.*}}) as (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token {has_side_effect}
func.func @tokens(%t: !stablehlo.token, %a: tensor<4xf32> {tf.aliasing_output = 1 : i32}) -> (!stablehlo.token, tensor<4xf32>) {
  %u = stablehlo.after_all %t, %t : !stablehlo.token
  %w:2 = stablehlo.while(%x = %a, %v = %u) : tensor<4xf32>, !stablehlo.token
  cond {
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %y:2 = "stablehlo.infeed"(%v) <{infeed_config = "two"}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    stablehlo.return %y#0, %y#1 : tensor<4xf32>, !stablehlo.token
  }
  %s = "stablehlo.send"(%w#0, %w#1) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 2>, is_host_transfer = true}>
    : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return %s, %w#0 : !stablehlo.token, tensor<4xf32>
}

// CHECK-LABEL: func.func @nothing_to_call
// CHECK-NEXT: stablehlo.negate
func.func @nothing_to_call(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
