module @jit_flax_gradients attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<48xf32>, %arg1: tensor<32x48xf32>, %arg2: tensor<24xf32>, %arg3: tensor<48x24xf32>, %arg4: tensor<4x16x32xbf16>) -> (tensor<48xf32> {jax.result_info = "result['params']['Dense_0']['bias']"}, tensor<32x48xf32> {jax.result_info = "result['params']['Dense_0']['kernel']"}, tensor<24xf32> {jax.result_info = "result['params']['Dense_1']['bias']"}, tensor<48x24xf32> {jax.result_info = "result['params']['Dense_1']['kernel']"}) {
    %0 = stablehlo.convert %arg1 : (tensor<32x48xf32>) -> tensor<32x48xbf16>
    %1 = stablehlo.convert %arg0 : (tensor<48xf32>) -> tensor<48xbf16>
    %2 = stablehlo.dot_general %arg4, %0, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x32xbf16>, tensor<32x48xbf16>) -> tensor<4x16x48xbf16>
    %3 = stablehlo.reshape %1 : (tensor<48xbf16>) -> tensor<1x1x48xbf16>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<1x1x48xbf16>) -> tensor<4x16x48xbf16>
    %5 = stablehlo.add %2, %4 : tensor<4x16x48xbf16>
    %6 = stablehlo.multiply %5, %5 : tensor<4x16x48xbf16>
    %7 = stablehlo.multiply %6, %5 : tensor<4x16x48xbf16>
    %8 = stablehlo.multiply %5, %5 : tensor<4x16x48xbf16>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<bf16>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<4x16x48xbf16>
    %10 = stablehlo.multiply %9, %8 : tensor<4x16x48xbf16>
    %cst_0 = stablehlo.constant dense<4.467770e-02> : tensor<bf16>
    %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<4x16x48xbf16>
    %12 = stablehlo.multiply %11, %7 : tensor<4x16x48xbf16>
    %13 = stablehlo.add %5, %12 : tensor<4x16x48xbf16>
    %cst_1 = stablehlo.constant dense<7.968750e-01> : tensor<bf16>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<bf16>) -> tensor<4x16x48xbf16>
    %15 = stablehlo.multiply %14, %13 : tensor<4x16x48xbf16>
    %16 = stablehlo.tanh %15 : tensor<4x16x48xbf16>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %17 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<bf16>) -> tensor<4x16x48xbf16>
    %18 = stablehlo.subtract %17, %16 : tensor<4x16x48xbf16>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<bf16>) -> tensor<4x16x48xbf16>
    %20 = stablehlo.add %19, %16 : tensor<4x16x48xbf16>
    %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
    %21 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<bf16>) -> tensor<4x16x48xbf16>
    %22 = stablehlo.multiply %21, %20 : tensor<4x16x48xbf16>
    %23 = stablehlo.multiply %5, %22 : tensor<4x16x48xbf16>
    %24 = stablehlo.convert %arg3 : (tensor<48x24xf32>) -> tensor<48x24xbf16>
    %25 = stablehlo.convert %arg2 : (tensor<24xf32>) -> tensor<24xbf16>
    %26 = stablehlo.dot_general %23, %24, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x48xbf16>, tensor<48x24xbf16>) -> tensor<4x16x24xbf16>
    %27 = stablehlo.reshape %25 : (tensor<24xbf16>) -> tensor<1x1x24xbf16>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2] : (tensor<1x1x24xbf16>) -> tensor<4x16x24xbf16>
    %29 = stablehlo.add %26, %28 : tensor<4x16x24xbf16>
    %30 = stablehlo.convert %29 : (tensor<4x16x24xbf16>) -> tensor<4x16x24xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x16x24xf32>
    %32 = stablehlo.multiply %31, %30 : tensor<4x16x24xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x16x24xf32>
    %34 = stablehlo.multiply %33, %32 : tensor<4x16x24xf32>
    %35 = stablehlo.convert %34 : (tensor<4x16x24xf32>) -> tensor<4x16x24xbf16>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %36 = stablehlo.reduce(%35 init: %cst_7) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x16x24xbf16>, tensor<bf16>) -> tensor<24xbf16>
    %37 = stablehlo.reshape %36 : (tensor<24xbf16>) -> tensor<1x1x24xbf16>
    %38 = stablehlo.reshape %37 : (tensor<1x1x24xbf16>) -> tensor<24xbf16>
    %39 = stablehlo.dot_general %35, %23, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x24xbf16>, tensor<4x16x48xbf16>) -> tensor<24x48xbf16>
    %40 = stablehlo.transpose %39, dims = [1, 0] : (tensor<24x48xbf16>) -> tensor<48x24xbf16>
    %41 = stablehlo.dot_general %35, %24, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x24xbf16>, tensor<48x24xbf16>) -> tensor<4x16x48xbf16>
    %42 = stablehlo.convert %38 : (tensor<24xbf16>) -> tensor<24xf32>
    %43 = stablehlo.convert %40 : (tensor<48x24xbf16>) -> tensor<48x24xf32>
    %44 = stablehlo.multiply %5, %41 : tensor<4x16x48xbf16>
    %45 = stablehlo.multiply %41, %22 : tensor<4x16x48xbf16>
    %cst_8 = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
    %46 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<bf16>) -> tensor<4x16x48xbf16>
    %47 = stablehlo.multiply %46, %44 : tensor<4x16x48xbf16>
    %48 = stablehlo.multiply %47, %18 : tensor<4x16x48xbf16>
    %49 = stablehlo.multiply %48, %16 : tensor<4x16x48xbf16>
    %50 = stablehlo.add %48, %49 : tensor<4x16x48xbf16>
    %cst_9 = stablehlo.constant dense<7.968750e-01> : tensor<bf16>
    %51 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<bf16>) -> tensor<4x16x48xbf16>
    %52 = stablehlo.multiply %51, %50 : tensor<4x16x48xbf16>
    %53 = stablehlo.add %45, %52 : tensor<4x16x48xbf16>
    %cst_10 = stablehlo.constant dense<4.467770e-02> : tensor<bf16>
    %54 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<bf16>) -> tensor<4x16x48xbf16>
    %55 = stablehlo.multiply %54, %52 : tensor<4x16x48xbf16>
    %56 = stablehlo.multiply %55, %10 : tensor<4x16x48xbf16>
    %57 = stablehlo.add %53, %56 : tensor<4x16x48xbf16>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %58 = stablehlo.reduce(%57 init: %cst_11) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x16x48xbf16>, tensor<bf16>) -> tensor<48xbf16>
    %59 = stablehlo.reshape %58 : (tensor<48xbf16>) -> tensor<1x1x48xbf16>
    %60 = stablehlo.reshape %59 : (tensor<1x1x48xbf16>) -> tensor<48xbf16>
    %61 = stablehlo.dot_general %57, %arg4, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x48xbf16>, tensor<4x16x32xbf16>) -> tensor<48x32xbf16>
    %62 = stablehlo.transpose %61, dims = [1, 0] : (tensor<48x32xbf16>) -> tensor<32x48xbf16>
    %63 = stablehlo.convert %60 : (tensor<48xbf16>) -> tensor<48xf32>
    %64 = stablehlo.convert %62 : (tensor<32x48xbf16>) -> tensor<32x48xf32>
    return %63, %64, %42, %43 : tensor<48xf32>, tensor<32x48xf32>, tensor<24xf32>, tensor<48x24xf32>
  }
}
