module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<48xbf16>, %arg1: tensor<24xbf16>, %arg2: tensor<32x48xbf16>, %arg3: tensor<48x24xbf16>, %arg4: tensor<64x32xbf16>, %arg5: tensor<64x24xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<48xbf16> {jax.result_info = "result[1]['b1']"}, tensor<24xbf16> {jax.result_info = "result[1]['b2']"}, tensor<32x48xbf16> {jax.result_info = "result[1]['w1']"}, tensor<48x24xbf16> {jax.result_info = "result[1]['w2']"}) {
    %0 = stablehlo.dot_general %arg4, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x32xbf16>, tensor<32x48xbf16>) -> tensor<64x48xbf16>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<48xbf16>) -> tensor<1x48xbf16>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x48xbf16>) -> tensor<64x48xbf16>
    %3 = stablehlo.add %0, %2 : tensor<64x48xbf16>
    %4 = stablehlo.multiply %3, %3 : tensor<64x48xbf16>
    %5 = stablehlo.multiply %4, %3 : tensor<64x48xbf16>
    %6 = stablehlo.multiply %3, %3 : tensor<64x48xbf16>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<bf16>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<64x48xbf16>
    %8 = stablehlo.multiply %7, %6 : tensor<64x48xbf16>
    %cst_0 = stablehlo.constant dense<4.467770e-02> : tensor<bf16>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<64x48xbf16>
    %10 = stablehlo.multiply %9, %5 : tensor<64x48xbf16>
    %11 = stablehlo.add %3, %10 : tensor<64x48xbf16>
    %cst_1 = stablehlo.constant dense<7.968750e-01> : tensor<bf16>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<bf16>) -> tensor<64x48xbf16>
    %13 = stablehlo.multiply %12, %11 : tensor<64x48xbf16>
    %14 = stablehlo.tanh %13 : tensor<64x48xbf16>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<bf16>) -> tensor<64x48xbf16>
    %16 = stablehlo.subtract %15, %14 : tensor<64x48xbf16>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<bf16>) -> tensor<64x48xbf16>
    %18 = stablehlo.add %17, %14 : tensor<64x48xbf16>
    %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
    %19 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<bf16>) -> tensor<64x48xbf16>
    %20 = stablehlo.multiply %19, %18 : tensor<64x48xbf16>
    %21 = stablehlo.multiply %3, %20 : tensor<64x48xbf16>
    %22 = stablehlo.dot_general %21, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x48xbf16>, tensor<48x24xbf16>) -> tensor<64x24xbf16>
    %23 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<24xbf16>) -> tensor<1x24xbf16>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<1x24xbf16>) -> tensor<64x24xbf16>
    %25 = stablehlo.add %22, %24 : tensor<64x24xbf16>
    %26 = stablehlo.convert %25 : (tensor<64x24xbf16>) -> tensor<64x24xf32>
    %27 = stablehlo.subtract %26, %arg5 : tensor<64x24xf32>
    %28 = stablehlo.multiply %27, %27 : tensor<64x24xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<64x24xf32>
    %30 = stablehlo.multiply %29, %27 : tensor<64x24xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.reduce(%28 init: %cst_6) applies stablehlo.add across dimensions = [0, 1] : (tensor<64x24xf32>, tensor<f32>) -> tensor<f32>
    %cst_7 = stablehlo.constant dense<1.536000e+03> : tensor<f32>
    %32 = stablehlo.divide %31, %cst_7 : tensor<f32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_9 = stablehlo.constant dense<1.536000e+03> : tensor<f32>
    %33 = stablehlo.divide %cst_8, %cst_9 : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [] : (tensor<f32>) -> tensor<64x24xf32>
    %35 = stablehlo.multiply %34, %30 : tensor<64x24xf32>
    %36 = stablehlo.convert %35 : (tensor<64x24xf32>) -> tensor<64x24xbf16>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %37 = stablehlo.reduce(%36 init: %cst_10) applies stablehlo.add across dimensions = [0] : (tensor<64x24xbf16>, tensor<bf16>) -> tensor<24xbf16>
    %38 = stablehlo.reshape %37 : (tensor<24xbf16>) -> tensor<1x24xbf16>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %39 = stablehlo.reduce(%38 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<1x24xbf16>, tensor<bf16>) -> tensor<24xbf16>
    %40 = stablehlo.dot_general %36, %21, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x24xbf16>, tensor<64x48xbf16>) -> tensor<24x48xbf16>
    %41 = stablehlo.transpose %40, dims = [1, 0] : (tensor<24x48xbf16>) -> tensor<48x24xbf16>
    %42 = stablehlo.dot_general %36, %arg3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<64x24xbf16>, tensor<48x24xbf16>) -> tensor<64x48xbf16>
    %43 = stablehlo.multiply %3, %42 : tensor<64x48xbf16>
    %44 = stablehlo.multiply %42, %20 : tensor<64x48xbf16>
    %cst_12 = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
    %45 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<bf16>) -> tensor<64x48xbf16>
    %46 = stablehlo.multiply %45, %43 : tensor<64x48xbf16>
    %47 = stablehlo.multiply %46, %16 : tensor<64x48xbf16>
    %48 = stablehlo.multiply %47, %14 : tensor<64x48xbf16>
    %49 = stablehlo.add %47, %48 : tensor<64x48xbf16>
    %cst_13 = stablehlo.constant dense<7.968750e-01> : tensor<bf16>
    %50 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<bf16>) -> tensor<64x48xbf16>
    %51 = stablehlo.multiply %50, %49 : tensor<64x48xbf16>
    %52 = stablehlo.add %44, %51 : tensor<64x48xbf16>
    %cst_14 = stablehlo.constant dense<4.467770e-02> : tensor<bf16>
    %53 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<bf16>) -> tensor<64x48xbf16>
    %54 = stablehlo.multiply %53, %51 : tensor<64x48xbf16>
    %55 = stablehlo.multiply %54, %8 : tensor<64x48xbf16>
    %56 = stablehlo.add %52, %55 : tensor<64x48xbf16>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %57 = stablehlo.reduce(%56 init: %cst_15) applies stablehlo.add across dimensions = [0] : (tensor<64x48xbf16>, tensor<bf16>) -> tensor<48xbf16>
    %58 = stablehlo.reshape %57 : (tensor<48xbf16>) -> tensor<1x48xbf16>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %59 = stablehlo.reduce(%58 init: %cst_16) applies stablehlo.add across dimensions = [0] : (tensor<1x48xbf16>, tensor<bf16>) -> tensor<48xbf16>
    %60 = stablehlo.dot_general %56, %arg4, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x48xbf16>, tensor<64x32xbf16>) -> tensor<48x32xbf16>
    %61 = stablehlo.transpose %60, dims = [1, 0] : (tensor<48x32xbf16>) -> tensor<32x48xbf16>
    %cst_17 = stablehlo.constant dense<1.250000e-01> : tensor<bf16>
    %62 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<bf16>) -> tensor<48xbf16>
    %63 = stablehlo.multiply %62, %59 : tensor<48xbf16>
    %64 = stablehlo.subtract %arg0, %63 : tensor<48xbf16>
    %cst_18 = stablehlo.constant dense<1.250000e-01> : tensor<bf16>
    %65 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<bf16>) -> tensor<24xbf16>
    %66 = stablehlo.multiply %65, %39 : tensor<24xbf16>
    %67 = stablehlo.subtract %arg1, %66 : tensor<24xbf16>
    %cst_19 = stablehlo.constant dense<1.250000e-01> : tensor<bf16>
    %68 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<bf16>) -> tensor<32x48xbf16>
    %69 = stablehlo.multiply %68, %61 : tensor<32x48xbf16>
    %70 = stablehlo.subtract %arg2, %69 : tensor<32x48xbf16>
    %cst_20 = stablehlo.constant dense<1.250000e-01> : tensor<bf16>
    %71 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<bf16>) -> tensor<48x24xbf16>
    %72 = stablehlo.multiply %71, %41 : tensor<48x24xbf16>
    %73 = stablehlo.subtract %arg3, %72 : tensor<48x24xbf16>
    return %32, %64, %67, %70, %73 : tensor<f32>, tensor<48xbf16>, tensor<24xbf16>, tensor<32x48xbf16>, tensor<48x24xbf16>
  }
}
