module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<48xf32>, %arg1: tensor<24xf32>, %arg2: tensor<48x32xf32>, %arg3: tensor<24x48xf32>, %arg4: tensor<64x32xf32>, %arg5: tensor<64x24xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<48xf32> {jax.result_info = "result[1]['b1']"}, tensor<24xf32> {jax.result_info = "result[1]['b2']"}, tensor<48x32xf32> {jax.result_info = "result[1]['w1']"}, tensor<24x48xf32> {jax.result_info = "result[1]['w2']"}) {
    %0 = stablehlo.dot_general %arg4, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<64x32xf32>, tensor<48x32xf32>) -> tensor<64x48xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<48xf32>) -> tensor<1x48xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x48xf32>) -> tensor<64x48xf32>
    %3 = stablehlo.add %0, %2 : tensor<64x48xf32>
    %4 = stablehlo.multiply %3, %3 : tensor<64x48xf32>
    %5 = stablehlo.multiply %4, %3 : tensor<64x48xf32>
    %6 = stablehlo.multiply %3, %3 : tensor<64x48xf32>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<64x48xf32>
    %8 = stablehlo.multiply %7, %6 : tensor<64x48xf32>
    %cst_0 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<64x48xf32>
    %10 = stablehlo.multiply %9, %5 : tensor<64x48xf32>
    %11 = stablehlo.add %3, %10 : tensor<64x48xf32>
    %cst_1 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<64x48xf32>
    %13 = stablehlo.multiply %12, %11 : tensor<64x48xf32>
    %14 = stablehlo.tanh %13 : tensor<64x48xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<64x48xf32>
    %16 = stablehlo.subtract %15, %14 : tensor<64x48xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<64x48xf32>
    %18 = stablehlo.add %17, %14 : tensor<64x48xf32>
    %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<64x48xf32>
    %20 = stablehlo.multiply %19, %18 : tensor<64x48xf32>
    %21 = stablehlo.multiply %3, %20 : tensor<64x48xf32>
    %22 = stablehlo.dot_general %21, %arg3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<64x48xf32>, tensor<24x48xf32>) -> tensor<64x24xf32>
    %23 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<64x24xf32>
    %25 = stablehlo.add %22, %24 : tensor<64x24xf32>
    %26 = stablehlo.subtract %25, %arg5 : tensor<64x24xf32>
    %27 = stablehlo.multiply %26, %26 : tensor<64x24xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<64x24xf32>
    %29 = stablehlo.multiply %28, %26 : tensor<64x24xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.reduce(%27 init: %cst_6) applies stablehlo.add across dimensions = [0, 1] : (tensor<64x24xf32>, tensor<f32>) -> tensor<f32>
    %cst_7 = stablehlo.constant dense<1.536000e+03> : tensor<f32>
    %31 = stablehlo.divide %30, %cst_7 : tensor<f32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_9 = stablehlo.constant dense<1.536000e+03> : tensor<f32>
    %32 = stablehlo.divide %cst_8, %cst_9 : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<f32>) -> tensor<64x24xf32>
    %34 = stablehlo.multiply %33, %29 : tensor<64x24xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.reduce(%34 init: %cst_10) applies stablehlo.add across dimensions = [0] : (tensor<64x24xf32>, tensor<f32>) -> tensor<24xf32>
    %36 = stablehlo.reshape %35 : (tensor<24xf32>) -> tensor<1x24xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %37 = stablehlo.reduce(%36 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %38 = stablehlo.dot_general %34, %21, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x24xf32>, tensor<64x48xf32>) -> tensor<24x48xf32>
    %39 = stablehlo.dot_general %34, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x24xf32>, tensor<24x48xf32>) -> tensor<64x48xf32>
    %40 = stablehlo.multiply %3, %39 : tensor<64x48xf32>
    %41 = stablehlo.multiply %39, %20 : tensor<64x48xf32>
    %cst_12 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<64x48xf32>
    %43 = stablehlo.multiply %42, %40 : tensor<64x48xf32>
    %44 = stablehlo.multiply %43, %16 : tensor<64x48xf32>
    %45 = stablehlo.multiply %44, %14 : tensor<64x48xf32>
    %46 = stablehlo.add %44, %45 : tensor<64x48xf32>
    %cst_13 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<64x48xf32>
    %48 = stablehlo.multiply %47, %46 : tensor<64x48xf32>
    %49 = stablehlo.add %41, %48 : tensor<64x48xf32>
    %cst_14 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<64x48xf32>
    %51 = stablehlo.multiply %50, %48 : tensor<64x48xf32>
    %52 = stablehlo.multiply %51, %8 : tensor<64x48xf32>
    %53 = stablehlo.add %49, %52 : tensor<64x48xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54 = stablehlo.reduce(%53 init: %cst_15) applies stablehlo.add across dimensions = [0] : (tensor<64x48xf32>, tensor<f32>) -> tensor<48xf32>
    %55 = stablehlo.reshape %54 : (tensor<48xf32>) -> tensor<1x48xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %56 = stablehlo.reduce(%55 init: %cst_16) applies stablehlo.add across dimensions = [0] : (tensor<1x48xf32>, tensor<f32>) -> tensor<48xf32>
    %57 = stablehlo.dot_general %53, %arg4, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x48xf32>, tensor<64x32xf32>) -> tensor<48x32xf32>
    %cst_17 = stablehlo.constant dense<1.250000e-01> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<48xf32>
    %59 = stablehlo.multiply %58, %56 : tensor<48xf32>
    %60 = stablehlo.subtract %arg0, %59 : tensor<48xf32>
    %cst_18 = stablehlo.constant dense<1.250000e-01> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %62 = stablehlo.multiply %61, %37 : tensor<24xf32>
    %63 = stablehlo.subtract %arg1, %62 : tensor<24xf32>
    %cst_19 = stablehlo.constant dense<1.250000e-01> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<48x32xf32>
    %65 = stablehlo.multiply %64, %57 : tensor<48x32xf32>
    %66 = stablehlo.subtract %arg2, %65 : tensor<48x32xf32>
    %cst_20 = stablehlo.constant dense<1.250000e-01> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<24x48xf32>
    %68 = stablehlo.multiply %67, %38 : tensor<24x48xf32>
    %69 = stablehlo.subtract %arg3, %68 : tensor<24x48xf32>
    return %31, %60, %63, %66, %69 : tensor<f32>, tensor<48xf32>, tensor<24xf32>, tensor<48x32xf32>, tensor<24x48xf32>
  }
}
