// RUN: drumlin-opt %s -split-input-file -verify-diagnostics

// One invalid program for each constraint on streams, channels and asynchronous operations.

// There must be at least a token among the results.
func.func @infeed_c1(%t: !stablehlo.token) {
  // expected-error@+1 {{(infeed_c1)}}
  "stablehlo.infeed"(%t) {infeed_config = ""} : (!stablehlo.token) -> ()
  return
}

// -----

// All results before the token must be tensors.
func.func @infeed_c2(%t: !stablehlo.token) {
  // expected-error@+1 {{(infeed_c2)}}
  %0:2 = "stablehlo.infeed"(%t) {infeed_config = ""} : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  return
}

// -----

// The last result must be a token.
func.func @infeed_c3(%t: !stablehlo.token) {
  // expected-error@+1 {{(infeed_c3)}}
  %0 = "stablehlo.infeed"(%t) {infeed_config = ""} : (!stablehlo.token) -> tensor<4xf32>
  return
}

// -----

// Each tensor needs a layout.
func.func @infeed_layout(%t: !stablehlo.token) {
  // expected-error@+1 {{(infeed_layout)}}
  %0:2 = "stablehlo.infeed"(%t) {infeed_config = "", layout = []} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}

// -----

// source_target_pairs must consist of pairs of ids.
func.func @recv_c1(%t: !stablehlo.token) {
  // expected-error@+1 {{(recv_c1)}}
  %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}

// -----

// Each process must send at most once.
func.func @recv_c2(%t: !stablehlo.token) {
  // expected-error@+1 {{(recv_c2)}}
  %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}

// -----

// Each process must receive at most once.
func.func @recv_c3(%t: !stablehlo.token) {
  // expected-error@+1 {{(recv_c3)}}
  %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}

// -----

// Ids must not be negative.
func.func @recv_c4(%t: !stablehlo.token) {
  // expected-error@+1 {{(recv_c4)}}
  %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}

// -----

// The channel must transfer from the host to the device.
func.func @recv_c5(%t: !stablehlo.token) {
  // expected-error@+1 {{(recv_c5)}}
  %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}

// -----

// The last result must be a token.
func.func @recv_o1(%t: !stablehlo.token) {
  // expected-error@+1 {{(recv_o1)}}
  %0 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false} : (!stablehlo.token) -> tensor<4xf32>
  return
}

// -----

// source_target_pairs must consist of pairs of ids.
func.func @send_c1(%a: tensor<4xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{(send_c1)}}
  %0 = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

// Each process must send at most once.
func.func @send_c2(%a: tensor<4xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{(send_c2)}}
  %0 = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

// Each process must receive at most once.
func.func @send_c3(%a: tensor<4xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{(send_c3)}}
  %0 = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

// Ids must not be negative.
func.func @send_c4(%a: tensor<4xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{(send_c4)}}
  %0 = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

// The channel must transfer from the device to the host.
func.func @send_c5(%a: tensor<4xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{(send_c5)}}
  %0 = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

// The body must have one operation and a return.
func.func @async_start_c1(%a: tensor<4xf32>) {
  // expected-error@+1 {{(async_start_c1)}}
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<4xf32>):
    %1 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
    %2 = stablehlo.negate %1 : tensor<8xf32>
    stablehlo.return %2 : tensor<8xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<8xf32>>
  return
}

// -----

// The body must have a collective or a slice.
func.func @async_start_c2(%a: tensor<4xf32>) {
  // expected-error@+1 {{(async_start_c2)}}
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<4xf32>):
    %1 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  return
}

// -----

// The body's arguments must have the operands' types.
func.func @async_start_c3(%a: tensor<5xf32>) {
  // expected-error@+1 {{(async_start_c3)}}
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<4xf32>):
    %1 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }) : (tensor<5xf32>) -> !stablehlo.future<tensor<8xf32>>
  return
}

// -----

// The future must have the types that the body returns.
func.func @async_start_c4(%a: tensor<4xf32>) {
  // expected-error@+1 {{(async_start_c4)}}
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<4xf32>):
    %1 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<9xf32>>
  return
}

// -----

// The results must have the future's types.
func.func @async_done_c1(%f: !stablehlo.future<tensor<8xf32>>) {
  // expected-error@+1 {{(async_done_c1)}}
  %0 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<8xf32>>) -> tensor<4xf32>
  return
}
