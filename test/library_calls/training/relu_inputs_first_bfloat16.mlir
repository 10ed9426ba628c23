module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<48xbf16>, %arg1: tensor<24xbf16>, %arg2: tensor<32x48xbf16>, %arg3: tensor<48x24xbf16>, %arg4: tensor<64x32xbf16>, %arg5: tensor<64x24xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<48xbf16> {jax.result_info = "result[1]['b1']"}, tensor<24xbf16> {jax.result_info = "result[1]['b2']"}, tensor<32x48xbf16> {jax.result_info = "result[1]['w1']"}, tensor<48x24xbf16> {jax.result_info = "result[1]['w2']"}) {
    %0 = stablehlo.dot_general %arg4, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x32xbf16>, tensor<32x48xbf16>) -> tensor<64x48xbf16>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<48xbf16>) -> tensor<1x48xbf16>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x48xbf16>) -> tensor<64x48xbf16>
    %3 = stablehlo.add %0, %2 : tensor<64x48xbf16>
    %4 = call @relu(%3) : (tensor<64x48xbf16>) -> tensor<64x48xbf16>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<64x48xbf16>
    %6 = stablehlo.compare GT, %3, %5, FLOAT : (tensor<64x48xbf16>, tensor<64x48xbf16>) -> tensor<64x48xi1>
    %7 = stablehlo.dot_general %4, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x48xbf16>, tensor<48x24xbf16>) -> tensor<64x24xbf16>
    %8 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<24xbf16>) -> tensor<1x24xbf16>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x24xbf16>) -> tensor<64x24xbf16>
    %10 = stablehlo.add %7, %9 : tensor<64x24xbf16>
    %11 = stablehlo.convert %10 : (tensor<64x24xbf16>) -> tensor<64x24xf32>
    %12 = stablehlo.subtract %11, %arg5 : tensor<64x24xf32>
    %13 = stablehlo.multiply %12, %12 : tensor<64x24xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<64x24xf32>
    %15 = stablehlo.multiply %14, %12 : tensor<64x24xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.reduce(%13 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<64x24xf32>, tensor<f32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<1.536000e+03> : tensor<f32>
    %17 = stablehlo.divide %16, %cst_2 : tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_4 = stablehlo.constant dense<1.536000e+03> : tensor<f32>
    %18 = stablehlo.divide %cst_3, %cst_4 : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<f32>) -> tensor<64x24xf32>
    %20 = stablehlo.multiply %19, %15 : tensor<64x24xf32>
    %21 = stablehlo.convert %20 : (tensor<64x24xf32>) -> tensor<64x24xbf16>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %22 = stablehlo.reduce(%21 init: %cst_5) applies stablehlo.add across dimensions = [0] : (tensor<64x24xbf16>, tensor<bf16>) -> tensor<24xbf16>
    %23 = stablehlo.reshape %22 : (tensor<24xbf16>) -> tensor<1x24xbf16>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %24 = stablehlo.reduce(%23 init: %cst_6) applies stablehlo.add across dimensions = [0] : (tensor<1x24xbf16>, tensor<bf16>) -> tensor<24xbf16>
    %25 = stablehlo.dot_general %21, %4, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x24xbf16>, tensor<64x48xbf16>) -> tensor<24x48xbf16>
    %26 = stablehlo.transpose %25, dims = [1, 0] : (tensor<24x48xbf16>) -> tensor<48x24xbf16>
    %27 = stablehlo.dot_general %21, %arg3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<64x24xbf16>, tensor<48x24xbf16>) -> tensor<64x48xbf16>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %28 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<bf16>) -> tensor<64x48xbf16>
    %29 = stablehlo.select %6, %27, %28 : tensor<64x48xi1>, tensor<64x48xbf16>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %30 = stablehlo.reduce(%29 init: %cst_8) applies stablehlo.add across dimensions = [0] : (tensor<64x48xbf16>, tensor<bf16>) -> tensor<48xbf16>
    %31 = stablehlo.reshape %30 : (tensor<48xbf16>) -> tensor<1x48xbf16>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %32 = stablehlo.reduce(%31 init: %cst_9) applies stablehlo.add across dimensions = [0] : (tensor<1x48xbf16>, tensor<bf16>) -> tensor<48xbf16>
    %33 = stablehlo.dot_general %29, %arg4, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x48xbf16>, tensor<64x32xbf16>) -> tensor<48x32xbf16>
    %34 = stablehlo.transpose %33, dims = [1, 0] : (tensor<48x32xbf16>) -> tensor<32x48xbf16>
    %cst_10 = stablehlo.constant dense<1.250000e-01> : tensor<bf16>
    %35 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<bf16>) -> tensor<48xbf16>
    %36 = stablehlo.multiply %35, %32 : tensor<48xbf16>
    %37 = stablehlo.subtract %arg0, %36 : tensor<48xbf16>
    %cst_11 = stablehlo.constant dense<1.250000e-01> : tensor<bf16>
    %38 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<bf16>) -> tensor<24xbf16>
    %39 = stablehlo.multiply %38, %24 : tensor<24xbf16>
    %40 = stablehlo.subtract %arg1, %39 : tensor<24xbf16>
    %cst_12 = stablehlo.constant dense<1.250000e-01> : tensor<bf16>
    %41 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<bf16>) -> tensor<32x48xbf16>
    %42 = stablehlo.multiply %41, %34 : tensor<32x48xbf16>
    %43 = stablehlo.subtract %arg2, %42 : tensor<32x48xbf16>
    %cst_13 = stablehlo.constant dense<1.250000e-01> : tensor<bf16>
    %44 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<bf16>) -> tensor<48x24xbf16>
    %45 = stablehlo.multiply %44, %26 : tensor<48x24xbf16>
    %46 = stablehlo.subtract %arg3, %45 : tensor<48x24xbf16>
    return %17, %37, %40, %43, %46 : tensor<f32>, tensor<48xbf16>, tensor<24xbf16>, tensor<32x48xbf16>, tensor<48x24xbf16>
  }
  func.func private @relu(%arg0: tensor<64x48xbf16>) -> tensor<64x48xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<64x48xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<64x48xbf16>
    return %1 : tensor<64x48xbf16>
  }
}
