// RUN: drumlin-opt %s | FileCheck %s
// RUN: drumlin-opt %s --mlir-print-op-generic | drumlin-opt | FileCheck %s

// Streams, channels and asynchronous operations are printed as they were read.

// Tokens.
// CHECK-LABEL: func.func @tokens
func.func @tokens() {
  // CHECK: stablehlo.create_token : !stablehlo.token
  %t = stablehlo.create_token : !stablehlo.token
  // CHECK: stablehlo.after_all %{{.*}}, %{{.*}} : !stablehlo.token
  %u = stablehlo.after_all %t, %t : !stablehlo.token
  // CHECK: stablehlo.after_all : !stablehlo.token
  %v = stablehlo.after_all : !stablehlo.token
  return
}

// Infeed, outfeed, send and receive.
// CHECK-LABEL: func.func @streams
func.func @streams(%a: tensor<4xf32>, %t: !stablehlo.token) {
  // CHECK: "stablehlo.infeed"(%{{.*}}) <{infeed_config = "", layout = {{\[\[}}0]]}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %0:2 = "stablehlo.infeed"(%t) <{infeed_config = "", layout = [[0]]}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  // CHECK: "stablehlo.outfeed"(%{{.*}}, %{{.*}}) <{outfeed_config = ""}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %1 = "stablehlo.outfeed"(%a, %0#1) <{outfeed_config = ""}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  // CHECK: "stablehlo.send"(%{{.*}}, %{{.*}}) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  %2 = "stablehlo.send"(%a, %1) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  // CHECK: "stablehlo.recv"(%{{.*}}) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %3:2 = "stablehlo.recv"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}

// An asynchronous operation.
// CHECK-LABEL: func.func @asynchronous
func.func @asynchronous(%a: tensor<4xf32>) {
  // CHECK: "stablehlo.async_start"(%{{.*}}) ({
  %0 = "stablehlo.async_start"(%a) ({
  ^bb0(%x: tensor<4xf32>):
    %1 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<8xf32>>
  // CHECK: "stablehlo.async_done"(%{{.*}}) : (!stablehlo.future<tensor<8xf32>>) -> tensor<8xf32>
  %2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<8xf32>>) -> tensor<8xf32>
  return
}
