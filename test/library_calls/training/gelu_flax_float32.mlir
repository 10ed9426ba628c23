module @jit_flax_gradients attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<48xf32>, %arg1: tensor<32x48xf32>, %arg2: tensor<24xf32>, %arg3: tensor<48x24xf32>, %arg4: tensor<4x16x32xf32>) -> (tensor<48xf32> {jax.result_info = "result['params']['Dense_0']['bias']"}, tensor<32x48xf32> {jax.result_info = "result['params']['Dense_0']['kernel']"}, tensor<24xf32> {jax.result_info = "result['params']['Dense_1']['bias']"}, tensor<48x24xf32> {jax.result_info = "result['params']['Dense_1']['kernel']"}) {
    %0 = stablehlo.dot_general %arg4, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x32xf32>, tensor<32x48xf32>) -> tensor<4x16x48xf32>
    %1 = stablehlo.reshape %arg0 : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x1x48xf32>) -> tensor<4x16x48xf32>
    %3 = stablehlo.add %0, %2 : tensor<4x16x48xf32>
    %4 = stablehlo.multiply %3, %3 : tensor<4x16x48xf32>
    %5 = stablehlo.multiply %4, %3 : tensor<4x16x48xf32>
    %6 = stablehlo.multiply %3, %3 : tensor<4x16x48xf32>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x16x48xf32>
    %8 = stablehlo.multiply %7, %6 : tensor<4x16x48xf32>
    %cst_0 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x16x48xf32>
    %10 = stablehlo.multiply %9, %5 : tensor<4x16x48xf32>
    %11 = stablehlo.add %3, %10 : tensor<4x16x48xf32>
    %cst_1 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x16x48xf32>
    %13 = stablehlo.multiply %12, %11 : tensor<4x16x48xf32>
    %14 = stablehlo.tanh %13 : tensor<4x16x48xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x16x48xf32>
    %16 = stablehlo.subtract %15, %14 : tensor<4x16x48xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x16x48xf32>
    %18 = stablehlo.add %17, %14 : tensor<4x16x48xf32>
    %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x16x48xf32>
    %20 = stablehlo.multiply %19, %18 : tensor<4x16x48xf32>
    %21 = stablehlo.multiply %3, %20 : tensor<4x16x48xf32>
    %22 = stablehlo.dot_general %21, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16x48xf32>, tensor<48x24xf32>) -> tensor<4x16x24xf32>
    %23 = stablehlo.reshape %arg2 : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<4x16x24xf32>
    %25 = stablehlo.add %22, %24 : tensor<4x16x24xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x16x24xf32>
    %27 = stablehlo.multiply %26, %25 : tensor<4x16x24xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x16x24xf32>
    %29 = stablehlo.multiply %28, %27 : tensor<4x16x24xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.reduce(%29 init: %cst_7) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x16x24xf32>, tensor<f32>) -> tensor<24xf32>
    %31 = stablehlo.reshape %30 : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %32 = stablehlo.reshape %31 : (tensor<1x1x24xf32>) -> tensor<24xf32>
    %33 = stablehlo.dot_general %29, %21, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x24xf32>, tensor<4x16x48xf32>) -> tensor<24x48xf32>
    %34 = stablehlo.transpose %33, dims = [1, 0] : (tensor<24x48xf32>) -> tensor<48x24xf32>
    %35 = stablehlo.dot_general %29, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x24xf32>, tensor<48x24xf32>) -> tensor<4x16x48xf32>
    %36 = stablehlo.multiply %3, %35 : tensor<4x16x48xf32>
    %37 = stablehlo.multiply %35, %20 : tensor<4x16x48xf32>
    %cst_8 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x16x48xf32>
    %39 = stablehlo.multiply %38, %36 : tensor<4x16x48xf32>
    %40 = stablehlo.multiply %39, %16 : tensor<4x16x48xf32>
    %41 = stablehlo.multiply %40, %14 : tensor<4x16x48xf32>
    %42 = stablehlo.add %40, %41 : tensor<4x16x48xf32>
    %cst_9 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x16x48xf32>
    %44 = stablehlo.multiply %43, %42 : tensor<4x16x48xf32>
    %45 = stablehlo.add %37, %44 : tensor<4x16x48xf32>
    %cst_10 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x16x48xf32>
    %47 = stablehlo.multiply %46, %44 : tensor<4x16x48xf32>
    %48 = stablehlo.multiply %47, %8 : tensor<4x16x48xf32>
    %49 = stablehlo.add %45, %48 : tensor<4x16x48xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.reduce(%49 init: %cst_11) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x16x48xf32>, tensor<f32>) -> tensor<48xf32>
    %51 = stablehlo.reshape %50 : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %52 = stablehlo.reshape %51 : (tensor<1x1x48xf32>) -> tensor<48xf32>
    %53 = stablehlo.dot_general %49, %arg4, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x16x48xf32>, tensor<4x16x32xf32>) -> tensor<48x32xf32>
    %54 = stablehlo.transpose %53, dims = [1, 0] : (tensor<48x32xf32>) -> tensor<32x48xf32>
    return %52, %54, %32, %34 : tensor<48xf32>, tensor<32x48xf32>, tensor<24xf32>, tensor<48x24xf32>
  }
}
