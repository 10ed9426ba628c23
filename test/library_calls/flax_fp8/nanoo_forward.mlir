module @jit_forward attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1024xf32>, %arg1: tensor<1xf32>, %arg2: tensor<1024xf32>, %arg3: tensor<1xf32>, %arg4: tensor<1024xf32>, %arg5: tensor<1xf32>, %arg6: tensor<96xf32>, %arg7: tensor<128x96xf32>, %arg8: tensor<64x128xbf16>) -> (tensor<64x96xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.convert %arg7 : (tensor<128x96xf32>) -> tensor<128x96xbf16>
    %1 = stablehlo.convert %arg6 : (tensor<96xf32>) -> tensor<96xbf16>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<1024xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %4 = stablehlo.divide %3, %arg1 : tensor<1xf32>
    %cst_1 = stablehlo.constant dense<2.400000e+02> : tensor<f32>
    %5 = stablehlo.divide %cst_1, %2 : tensor<f32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.divide %5, %cst_2 : tensor<f32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.compare GT, %2, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %8 = call @_where(%7, %6, %4) : (tensor<i1>, tensor<f32>, tensor<1xf32>) -> tensor<1xf32>
    %9 = stablehlo.is_finite %2 : (tensor<f32>) -> tensor<i1>
    %10 = call @_where_0(%9, %8, %4) : (tensor<i1>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %12 = stablehlo.divide %11, %10 : tensor<1xf32>
    %13 = stablehlo.convert %12 : (tensor<1xf32>) -> tensor<1xbf16>
    %14 = stablehlo.broadcast_in_dim %13, dims = [1] : (tensor<1xbf16>) -> tensor<64x128xbf16>
    %15 = stablehlo.divide %arg8, %14 : tensor<64x128xbf16>
    %cst_5 = stablehlo.constant dense<-2.400000e+02> : tensor<bf16>
    %cst_6 = stablehlo.constant dense<2.400000e+02> : tensor<bf16>
    %16 = call @clip(%15, %cst_5, %cst_6) : (tensor<64x128xbf16>, tensor<bf16>, tensor<bf16>) -> tensor<64x128xbf16>
    %17 = stablehlo.convert %16 : (tensor<64x128xbf16>) -> tensor<64x128xf8E4M3FNUZ>
    %18 = stablehlo.convert %17 : (tensor<64x128xf8E4M3FNUZ>) -> tensor<64x128xbf16>
    %19 = stablehlo.convert %12 : (tensor<1xf32>) -> tensor<1xbf16>
    %20 = stablehlo.broadcast_in_dim %19, dims = [1] : (tensor<1xbf16>) -> tensor<64x128xbf16>
    %21 = stablehlo.multiply %18, %20 : tensor<64x128xbf16>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %22 = stablehlo.reduce(%arg2 init: %cst_7) applies stablehlo.maximum across dimensions = [0] : (tensor<1024xf32>, tensor<f32>) -> tensor<f32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %24 = stablehlo.divide %23, %arg3 : tensor<1xf32>
    %cst_9 = stablehlo.constant dense<2.400000e+02> : tensor<f32>
    %25 = stablehlo.divide %cst_9, %22 : tensor<f32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.divide %25, %cst_10 : tensor<f32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.compare GT, %22, %cst_11, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %28 = call @_where(%27, %26, %24) : (tensor<i1>, tensor<f32>, tensor<1xf32>) -> tensor<1xf32>
    %29 = stablehlo.is_finite %22 : (tensor<f32>) -> tensor<i1>
    %30 = call @_where_0(%29, %28, %24) : (tensor<i1>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %32 = stablehlo.divide %31, %30 : tensor<1xf32>
    %33 = stablehlo.convert %32 : (tensor<1xf32>) -> tensor<1xbf16>
    %34 = stablehlo.broadcast_in_dim %33, dims = [1] : (tensor<1xbf16>) -> tensor<128x96xbf16>
    %35 = stablehlo.divide %0, %34 : tensor<128x96xbf16>
    %cst_13 = stablehlo.constant dense<-2.400000e+02> : tensor<bf16>
    %cst_14 = stablehlo.constant dense<2.400000e+02> : tensor<bf16>
    %36 = call @clip_1(%35, %cst_13, %cst_14) : (tensor<128x96xbf16>, tensor<bf16>, tensor<bf16>) -> tensor<128x96xbf16>
    %37 = stablehlo.convert %36 : (tensor<128x96xbf16>) -> tensor<128x96xf8E4M3FNUZ>
    %38 = stablehlo.convert %37 : (tensor<128x96xf8E4M3FNUZ>) -> tensor<128x96xbf16>
    %39 = stablehlo.convert %32 : (tensor<1xf32>) -> tensor<1xbf16>
    %40 = stablehlo.broadcast_in_dim %39, dims = [1] : (tensor<1xbf16>) -> tensor<128x96xbf16>
    %41 = stablehlo.multiply %38, %40 : tensor<128x96xbf16>
    %42 = stablehlo.dot_general %21, %41, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x128xbf16>, tensor<128x96xbf16>) -> tensor<64x96xbf16>
    %43 = stablehlo.reshape %1 : (tensor<96xbf16>) -> tensor<1x96xbf16>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1] : (tensor<1x96xbf16>) -> tensor<64x96xbf16>
    %45 = stablehlo.add %42, %44 : tensor<64x96xbf16>
    return %45 : tensor<64x96xbf16>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<1xf32>) -> tensor<1xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<i1>, tensor<1xf32>
    return %1 : tensor<1xf32>
  }
  func.func private @_where_0(%arg0: tensor<i1>, %arg1: tensor<1xf32>, %arg2: tensor<1xf32>) -> tensor<1xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<1xf32>
    return %0 : tensor<1xf32>
  }
  func.func private @clip(%arg0: tensor<64x128xbf16>, %arg1: tensor<bf16>, %arg2: tensor<bf16>) -> tensor<64x128xbf16> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<bf16>) -> tensor<64x128xbf16>
    %1 = stablehlo.maximum %0, %arg0 : tensor<64x128xbf16>
    %2 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<bf16>) -> tensor<64x128xbf16>
    %3 = stablehlo.minimum %2, %1 : tensor<64x128xbf16>
    return %3 : tensor<64x128xbf16>
  }
  func.func private @clip_1(%arg0: tensor<128x96xbf16>, %arg1: tensor<bf16>, %arg2: tensor<bf16>) -> tensor<128x96xbf16> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<bf16>) -> tensor<128x96xbf16>
    %1 = stablehlo.maximum %0, %arg0 : tensor<128x96xbf16>
    %2 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<bf16>) -> tensor<128x96xbf16>
    %3 = stablehlo.minimum %2, %1 : tensor<128x96xbf16>
    return %3 : tensor<128x96xbf16>
  }
}
