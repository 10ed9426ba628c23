module @jit_flax_gradients attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<48xf32>, %arg1: tensor<32x48xf32>, %arg2: tensor<24xf32>, %arg3: tensor<48x24xf32>, %arg4: tensor<4x16x32xbf16>) -> (tensor<48xf32> {jax.result_info = "result['params']['Dense_0']['bias']"}, tensor<32x48xf32> {jax.result_info = "result['params']['Dense_0']['kernel']"}, tensor<24xf32> {jax.result_info = "result['params']['Dense_1']['bias']"}, tensor<48x24xf32> {jax.result_info = "result['params']['Dense_1']['kernel']"}) {
    %0 = stablehlo.convert %arg1 : (tensor<32x48xf32>) -> tensor<32x48xbf16>
    %1 = stablehlo.convert %arg0 : (tensor<48xf32>) -> tensor<48xbf16>
    %2 = stablehlo.dot_general %arg4, %0, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x32xbf16>, tensor<32x48xbf16>) -> tensor<4x16x48xbf16>
    %3 = stablehlo.reshape %1 : (tensor<48xbf16>) -> tensor<1x1x48xbf16>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<1x1x48xbf16>) -> tensor<4x16x48xbf16>
    %5 = stablehlo.add %2, %4 : tensor<4x16x48xbf16>
    %6 = call @relu(%5) : (tensor<4x16x48xbf16>) -> tensor<4x16x48xbf16>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<4x16x48xbf16>
    %8 = stablehlo.compare GT, %5, %7, FLOAT : (tensor<4x16x48xbf16>, tensor<4x16x48xbf16>) -> tensor<4x16x48xi1>
    %9 = stablehlo.convert %arg3 : (tensor<48x24xf32>) -> tensor<48x24xbf16>
    %10 = stablehlo.convert %arg2 : (tensor<24xf32>) -> tensor<24xbf16>
    %11 = stablehlo.dot_general %6, %9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x48xbf16>, tensor<48x24xbf16>) -> tensor<4x16x24xbf16>
    %12 = stablehlo.reshape %10 : (tensor<24xbf16>) -> tensor<1x1x24xbf16>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<1x1x24xbf16>) -> tensor<4x16x24xbf16>
    %14 = stablehlo.add %11, %13 : tensor<4x16x24xbf16>
    %15 = stablehlo.convert %14 : (tensor<4x16x24xbf16>) -> tensor<4x16x24xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x16x24xf32>
    %17 = stablehlo.multiply %16, %15 : tensor<4x16x24xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x16x24xf32>
    %19 = stablehlo.multiply %18, %17 : tensor<4x16x24xf32>
    %20 = stablehlo.convert %19 : (tensor<4x16x24xf32>) -> tensor<4x16x24xbf16>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %21 = stablehlo.reduce(%20 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x16x24xbf16>, tensor<bf16>) -> tensor<24xbf16>
    %22 = stablehlo.reshape %21 : (tensor<24xbf16>) -> tensor<1x1x24xbf16>
    %23 = stablehlo.reshape %22 : (tensor<1x1x24xbf16>) -> tensor<24xbf16>
    %24 = stablehlo.dot_general %20, %6, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x24xbf16>, tensor<4x16x48xbf16>) -> tensor<24x48xbf16>
    %25 = stablehlo.transpose %24, dims = [1, 0] : (tensor<24x48xbf16>) -> tensor<48x24xbf16>
    %26 = stablehlo.dot_general %20, %9, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x24xbf16>, tensor<48x24xbf16>) -> tensor<4x16x48xbf16>
    %27 = stablehlo.convert %23 : (tensor<24xbf16>) -> tensor<24xf32>
    %28 = stablehlo.convert %25 : (tensor<48x24xbf16>) -> tensor<48x24xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %29 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<bf16>) -> tensor<4x16x48xbf16>
    %30 = stablehlo.select %8, %26, %29 : tensor<4x16x48xi1>, tensor<4x16x48xbf16>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %31 = stablehlo.reduce(%30 init: %cst_4) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x16x48xbf16>, tensor<bf16>) -> tensor<48xbf16>
    %32 = stablehlo.reshape %31 : (tensor<48xbf16>) -> tensor<1x1x48xbf16>
    %33 = stablehlo.reshape %32 : (tensor<1x1x48xbf16>) -> tensor<48xbf16>
    %34 = stablehlo.dot_general %30, %arg4, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x48xbf16>, tensor<4x16x32xbf16>) -> tensor<48x32xbf16>
    %35 = stablehlo.transpose %34, dims = [1, 0] : (tensor<48x32xbf16>) -> tensor<32x48xbf16>
    %36 = stablehlo.convert %33 : (tensor<48xbf16>) -> tensor<48xf32>
    %37 = stablehlo.convert %35 : (tensor<32x48xbf16>) -> tensor<32x48xf32>
    return %36, %37, %27, %28 : tensor<48xf32>, tensor<32x48xf32>, tensor<24xf32>, tensor<48x24xf32>
  }
  func.func private @relu(%arg0: tensor<4x16x48xbf16>) -> tensor<4x16x48xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<4x16x48xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<4x16x48xbf16>
    return %1 : tensor<4x16x48xbf16>
  }
}
