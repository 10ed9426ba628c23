module @jit_pull_back attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<48xbf16>, %arg1: tensor<32x48xbf16>, %arg2: tensor<48x24xbf16>, %arg3: tensor<64x32xbf16>, %arg4: tensor<64x24xbf16>) -> (tensor<64x24xbf16> {jax.result_info = "result[0]"}, tensor<48xbf16> {jax.result_info = "result[1][0]['b1']"}, tensor<32x48xbf16> {jax.result_info = "result[1][0]['w1']"}, tensor<48x24xbf16> {jax.result_info = "result[1][0]['w2']"}) {
    %0 = stablehlo.dot_general %arg3, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x32xbf16>, tensor<32x48xbf16>) -> tensor<64x48xbf16>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<48xbf16>) -> tensor<1x48xbf16>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x48xbf16>) -> tensor<64x48xbf16>
    %3 = stablehlo.add %0, %2 : tensor<64x48xbf16>
    %4 = call @relu(%3) : (tensor<64x48xbf16>) -> tensor<64x48xbf16>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<64x48xbf16>
    %6 = stablehlo.compare GT, %3, %5, FLOAT : (tensor<64x48xbf16>, tensor<64x48xbf16>) -> tensor<64x48xi1>
    %7 = stablehlo.dot_general %4, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x48xbf16>, tensor<48x24xbf16>) -> tensor<64x24xbf16>
    %8 = stablehlo.dot_general %arg4, %4, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x24xbf16>, tensor<64x48xbf16>) -> tensor<24x48xbf16>
    %9 = stablehlo.transpose %8, dims = [1, 0] : (tensor<24x48xbf16>) -> tensor<48x24xbf16>
    %10 = stablehlo.dot_general %arg4, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<64x24xbf16>, tensor<48x24xbf16>) -> tensor<64x48xbf16>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<64x48xbf16>
    %12 = stablehlo.select %6, %10, %11 : tensor<64x48xi1>, tensor<64x48xbf16>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %13 = stablehlo.reduce(%12 init: %cst_1) applies stablehlo.add across dimensions = [0] : (tensor<64x48xbf16>, tensor<bf16>) -> tensor<48xbf16>
    %14 = stablehlo.reshape %13 : (tensor<48xbf16>) -> tensor<1x48xbf16>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %15 = stablehlo.reduce(%14 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<1x48xbf16>, tensor<bf16>) -> tensor<48xbf16>
    %16 = stablehlo.dot_general %12, %arg3, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x48xbf16>, tensor<64x32xbf16>) -> tensor<48x32xbf16>
    %17 = stablehlo.transpose %16, dims = [1, 0] : (tensor<48x32xbf16>) -> tensor<32x48xbf16>
    return %7, %15, %17, %9 : tensor<64x24xbf16>, tensor<48xbf16>, tensor<32x48xbf16>, tensor<48x24xbf16>
  }
  func.func private @relu(%arg0: tensor<64x48xbf16>) -> tensor<64x48xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<64x48xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<64x48xbf16>
    return %1 : tensor<64x48xbf16>
  }
}
