module @jit_pull_back attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<48xf32>, %arg1: tensor<32x48xf32>, %arg2: tensor<48x24xf32>, %arg3: tensor<64x32xf32>, %arg4: tensor<64x24xf32>) -> (tensor<64x24xf32> {jax.result_info = "result[0]"}, tensor<48xf32> {jax.result_info = "result[1][0]['b1']"}, tensor<32x48xf32> {jax.result_info = "result[1][0]['w1']"}, tensor<48x24xf32> {jax.result_info = "result[1][0]['w2']"}) {
    %0 = stablehlo.dot_general %arg3, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x32xf32>, tensor<32x48xf32>) -> tensor<64x48xf32>
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
    %22 = stablehlo.dot_general %21, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x48xf32>, tensor<48x24xf32>) -> tensor<64x24xf32>
    %23 = stablehlo.dot_general %arg4, %21, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x24xf32>, tensor<64x48xf32>) -> tensor<24x48xf32>
    %24 = stablehlo.transpose %23, dims = [1, 0] : (tensor<24x48xf32>) -> tensor<48x24xf32>
    %25 = stablehlo.dot_general %arg4, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<64x24xf32>, tensor<48x24xf32>) -> tensor<64x48xf32>
    %26 = stablehlo.multiply %3, %25 : tensor<64x48xf32>
    %27 = stablehlo.multiply %25, %20 : tensor<64x48xf32>
    %cst_5 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<64x48xf32>
    %29 = stablehlo.multiply %28, %26 : tensor<64x48xf32>
    %30 = stablehlo.multiply %29, %16 : tensor<64x48xf32>
    %31 = stablehlo.multiply %30, %14 : tensor<64x48xf32>
    %32 = stablehlo.add %30, %31 : tensor<64x48xf32>
    %cst_6 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<64x48xf32>
    %34 = stablehlo.multiply %33, %32 : tensor<64x48xf32>
    %35 = stablehlo.add %27, %34 : tensor<64x48xf32>
    %cst_7 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<64x48xf32>
    %37 = stablehlo.multiply %36, %34 : tensor<64x48xf32>
    %38 = stablehlo.multiply %37, %8 : tensor<64x48xf32>
    %39 = stablehlo.add %35, %38 : tensor<64x48xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.reduce(%39 init: %cst_8) applies stablehlo.add across dimensions = [0] : (tensor<64x48xf32>, tensor<f32>) -> tensor<48xf32>
    %41 = stablehlo.reshape %40 : (tensor<48xf32>) -> tensor<1x48xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %42 = stablehlo.reduce(%41 init: %cst_9) applies stablehlo.add across dimensions = [0] : (tensor<1x48xf32>, tensor<f32>) -> tensor<48xf32>
    %43 = stablehlo.dot_general %39, %arg3, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x48xf32>, tensor<64x32xf32>) -> tensor<48x32xf32>
    %44 = stablehlo.transpose %43, dims = [1, 0] : (tensor<48x32xf32>) -> tensor<32x48xf32>
    return %22, %42, %44, %24 : tensor<64x24xf32>, tensor<48xf32>, tensor<32x48xf32>, tensor<48x24xf32>
  }
}
