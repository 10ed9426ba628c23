module @jit_pull_back attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<48xbf16>, %arg1: tensor<32x48xbf16>, %arg2: tensor<48x24xbf16>, %arg3: tensor<64x32xbf16>, %arg4: tensor<64x24xbf16>) -> (tensor<64x24xbf16> {jax.result_info = "result[0]"}, tensor<48xbf16> {jax.result_info = "result[1][0]['b1']"}, tensor<32x48xbf16> {jax.result_info = "result[1][0]['w1']"}, tensor<48x24xbf16> {jax.result_info = "result[1][0]['w2']"}) {
    %0 = stablehlo.dot_general %arg3, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x32xbf16>, tensor<32x48xbf16>) -> tensor<64x48xbf16>
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
    %22 = stablehlo.dot_general %21, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x48xbf16>, tensor<48x24xbf16>) -> tensor<64x24xbf16>
    %23 = stablehlo.dot_general %arg4, %21, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x24xbf16>, tensor<64x48xbf16>) -> tensor<24x48xbf16>
    %24 = stablehlo.transpose %23, dims = [1, 0] : (tensor<24x48xbf16>) -> tensor<48x24xbf16>
    %25 = stablehlo.dot_general %arg4, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<64x24xbf16>, tensor<48x24xbf16>) -> tensor<64x48xbf16>
    %26 = stablehlo.multiply %3, %25 : tensor<64x48xbf16>
    %27 = stablehlo.multiply %25, %20 : tensor<64x48xbf16>
    %cst_5 = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
    %28 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<bf16>) -> tensor<64x48xbf16>
    %29 = stablehlo.multiply %28, %26 : tensor<64x48xbf16>
    %30 = stablehlo.multiply %29, %16 : tensor<64x48xbf16>
    %31 = stablehlo.multiply %30, %14 : tensor<64x48xbf16>
    %32 = stablehlo.add %30, %31 : tensor<64x48xbf16>
    %cst_6 = stablehlo.constant dense<7.968750e-01> : tensor<bf16>
    %33 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<bf16>) -> tensor<64x48xbf16>
    %34 = stablehlo.multiply %33, %32 : tensor<64x48xbf16>
    %35 = stablehlo.add %27, %34 : tensor<64x48xbf16>
    %cst_7 = stablehlo.constant dense<4.467770e-02> : tensor<bf16>
    %36 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<bf16>) -> tensor<64x48xbf16>
    %37 = stablehlo.multiply %36, %34 : tensor<64x48xbf16>
    %38 = stablehlo.multiply %37, %8 : tensor<64x48xbf16>
    %39 = stablehlo.add %35, %38 : tensor<64x48xbf16>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %40 = stablehlo.reduce(%39 init: %cst_8) applies stablehlo.add across dimensions = [0] : (tensor<64x48xbf16>, tensor<bf16>) -> tensor<48xbf16>
    %41 = stablehlo.reshape %40 : (tensor<48xbf16>) -> tensor<1x48xbf16>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %42 = stablehlo.reduce(%41 init: %cst_9) applies stablehlo.add across dimensions = [0] : (tensor<1x48xbf16>, tensor<bf16>) -> tensor<48xbf16>
    %43 = stablehlo.dot_general %39, %arg3, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x48xbf16>, tensor<64x32xbf16>) -> tensor<48x32xbf16>
    %44 = stablehlo.transpose %43, dims = [1, 0] : (tensor<48x32xbf16>) -> tensor<32x48xbf16>
    return %22, %42, %44, %24 : tensor<64x24xbf16>, tensor<48xbf16>, tensor<32x48xbf16>, tensor<48x24xbf16>
  }
}
