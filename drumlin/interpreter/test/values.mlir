// RUN: drumlin run %s --interpret

// Tuples, tokens, futures and composites.

func.func @main() {
  %c1 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %c2 = stablehlo.constant dense<3> : tensor<i32>

  // Tuples within tuples, with tokens between.
  %t = stablehlo.create_token : !stablehlo.token
  %r3 = stablehlo.tuple %c1, %t : tuple<tensor<2xi32>, !stablehlo.token>
  %r4 = stablehlo.tuple %r3, %c2 : tuple<tuple<tensor<2xi32>, !stablehlo.token>, tensor<i32>>
  %r5 = stablehlo.get_tuple_element %r4[0] : (tuple<tuple<tensor<2xi32>, !stablehlo.token>, tensor<i32>>) -> tuple<tensor<2xi32>, !stablehlo.token>
  %r6 = stablehlo.get_tuple_element %r5[0] : (tuple<tensor<2xi32>, !stablehlo.token>) -> tensor<2xi32>
  %c7 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%r6, %c7) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()
  %r8 = stablehlo.get_tuple_element %r4[1] : (tuple<tuple<tensor<2xi32>, !stablehlo.token>, tensor<i32>>) -> tensor<i32>
  %c9 = stablehlo.constant dense<3> : tensor<i32>
  stablehlo.custom_call @check.expect_eq(%r8, %c9) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()

  // A composite equals its decomposition.
  %r10 = stablehlo.composite "my.negate" %c1 {decomposition = @negate} : (tensor<2xi32>) -> tensor<2xi32>
  %c11 = stablehlo.constant dense<[-1, -2]> : tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%r10, %c11) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()

  // An asynchronous operation is started and awaited.
  %future = "stablehlo.async_start"(%c1) ({
  ^bb0(%x: tensor<2xi32>):
    %s = stablehlo.slice %x [1:2] : (tensor<2xi32>) -> tensor<1xi32>
    stablehlo.return %s : tensor<1xi32>
  }) : (tensor<2xi32>) -> !stablehlo.future<tensor<1xi32>>
  %r12 = "stablehlo.async_done"(%future) : (!stablehlo.future<tensor<1xi32>>) -> tensor<1xi32>
  %c13 = stablehlo.constant dense<[2]> : tensor<1xi32>
  stablehlo.custom_call @check.expect_eq(%r12, %c13) {has_side_effect = true} : (tensor<1xi32>, tensor<1xi32>) -> ()

  // A loop that carries a token, and a process that sends to itself.
  %r14:2 = stablehlo.while(%i = %c2, %u = %t) : tensor<i32>, !stablehlo.token
  cond {
    %n = stablehlo.constant dense<5> : tensor<i32>
    %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %v = "stablehlo.send"(%i, %u) {channel_handle = #stablehlo.channel_handle<handle = 7, type = 2>, is_host_transfer = true} : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
    stablehlo.return %j, %v : tensor<i32>, !stablehlo.token
  }
  %c15 = stablehlo.constant dense<5> : tensor<i32>
  stablehlo.custom_call @check.expect_eq(%r14#0, %c15) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
  %r16:2 = "stablehlo.recv"(%r14#1) {channel_handle = #stablehlo.channel_handle<handle = 7, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
  %c17 = stablehlo.constant dense<3> : tensor<i32>
  stablehlo.custom_call @check.expect_eq(%r16#0, %c17) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
  %r18:2 = "stablehlo.recv"(%r14#1) {channel_handle = #stablehlo.channel_handle<handle = 7, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
  %c19 = stablehlo.constant dense<4> : tensor<i32>
  stablehlo.custom_call @check.expect_eq(%r18#0, %c19) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
  return
}

func.func private @negate(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = stablehlo.negate %x : tensor<2xi32>
  return %0 : tensor<2xi32>
}
