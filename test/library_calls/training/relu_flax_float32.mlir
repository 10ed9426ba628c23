module @jit_flax_gradients attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<48xf32>, %arg1: tensor<32x48xf32>, %arg2: tensor<24xf32>, %arg3: tensor<48x24xf32>, %arg4: tensor<4x16x32xf32>) -> (tensor<48xf32> {jax.result_info = "result['params']['Dense_0']['bias']"}, tensor<32x48xf32> {jax.result_info = "result['params']['Dense_0']['kernel']"}, tensor<24xf32> {jax.result_info = "result['params']['Dense_1']['bias']"}, tensor<48x24xf32> {jax.result_info = "result['params']['Dense_1']['kernel']"}) {
    %0 = stablehlo.dot_general %arg4, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x32xf32>, tensor<32x48xf32>) -> tensor<4x16x48xf32>
    %1 = stablehlo.reshape %arg0 : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x1x48xf32>) -> tensor<4x16x48xf32>
    %3 = stablehlo.add %0, %2 : tensor<4x16x48xf32>
    %4 = call @relu(%3) : (tensor<4x16x48xf32>) -> tensor<4x16x48xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x16x48xf32>
    %6 = stablehlo.compare GT, %3, %5, FLOAT : (tensor<4x16x48xf32>, tensor<4x16x48xf32>) -> tensor<4x16x48xi1>
    %7 = stablehlo.dot_general %4, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x48xf32>, tensor<48x24xf32>) -> tensor<4x16x24xf32>
    %8 = stablehlo.reshape %arg2 : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<4x16x24xf32>
    %10 = stablehlo.add %7, %9 : tensor<4x16x24xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x16x24xf32>
    %12 = stablehlo.multiply %11, %10 : tensor<4x16x24xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x16x24xf32>
    %14 = stablehlo.multiply %13, %12 : tensor<4x16x24xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x16x24xf32>, tensor<f32>) -> tensor<24xf32>
    %16 = stablehlo.reshape %15 : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %17 = stablehlo.reshape %16 : (tensor<1x1x24xf32>) -> tensor<24xf32>
    %18 = stablehlo.dot_general %14, %4, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x24xf32>, tensor<4x16x48xf32>) -> tensor<24x48xf32>
    %19 = stablehlo.transpose %18, dims = [1, 0] : (tensor<24x48xf32>) -> tensor<48x24xf32>
    %20 = stablehlo.dot_general %14, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x24xf32>, tensor<48x24xf32>) -> tensor<4x16x48xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x16x48xf32>
    %22 = stablehlo.select %6, %20, %21 : tensor<4x16x48xi1>, tensor<4x16x48xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.reduce(%22 init: %cst_4) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x16x48xf32>, tensor<f32>) -> tensor<48xf32>
    %24 = stablehlo.reshape %23 : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %25 = stablehlo.reshape %24 : (tensor<1x1x48xf32>) -> tensor<48xf32>
    %26 = stablehlo.dot_general %22, %arg4, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x48xf32>, tensor<4x16x32xf32>) -> tensor<48x32xf32>
    %27 = stablehlo.transpose %26, dims = [1, 0] : (tensor<48x32xf32>) -> tensor<32x48xf32>
    return %25, %27, %17, %19 : tensor<48xf32>, tensor<32x48xf32>, tensor<24xf32>, tensor<48x24xf32>
  }
  func.func private @relu(%arg0: tensor<4x16x48xf32>) -> tensor<4x16x48xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x16x48xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x16x48xf32>
    return %1 : tensor<4x16x48xf32>
  }
}
