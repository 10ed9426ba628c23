module @jit_forward attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1024xf32>, %arg1: tensor<1xf32>, %arg2: tensor<1024xf32>, %arg3: tensor<1xf32>, %arg4: tensor<1024xf32>, %arg5: tensor<1xf32>, %arg6: tensor<128x96xf32>, %arg7: tensor<64x128xbf16>) -> (tensor<64x96xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.convert %arg6 : (tensor<128x96xf32>) -> tensor<128x96xbf16>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<1024xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<1xf32>
    %cst_1 = stablehlo.constant dense<4.480000e+02> : tensor<f32>
    %4 = stablehlo.divide %cst_1, %1 : tensor<f32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.divide %4, %cst_2 : tensor<f32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.compare GT, %1, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %7 = call @_where(%6, %5, %3) : (tensor<i1>, tensor<f32>, tensor<1xf32>) -> tensor<1xf32>
    %8 = stablehlo.is_finite %1 : (tensor<f32>) -> tensor<i1>
    %9 = call @_where_0(%8, %7, %3) : (tensor<i1>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %11 = stablehlo.divide %10, %9 : tensor<1xf32>
    %12 = stablehlo.convert %11 : (tensor<1xf32>) -> tensor<1xbf16>
    %13 = stablehlo.broadcast_in_dim %12, dims = [1] : (tensor<1xbf16>) -> tensor<64x128xbf16>
    %14 = stablehlo.divide %arg7, %13 : tensor<64x128xbf16>
    %cst_5 = stablehlo.constant dense<-4.480000e+02> : tensor<bf16>
    %cst_6 = stablehlo.constant dense<4.480000e+02> : tensor<bf16>
    %15 = call @clip(%14, %cst_5, %cst_6) : (tensor<64x128xbf16>, tensor<bf16>, tensor<bf16>) -> tensor<64x128xbf16>
    %16 = stablehlo.convert %15 : (tensor<64x128xbf16>) -> tensor<64x128xf8E4M3FN>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %17 = stablehlo.reduce(%arg2 init: %cst_7) applies stablehlo.maximum across dimensions = [0] : (tensor<1024xf32>, tensor<f32>) -> tensor<f32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %19 = stablehlo.divide %18, %arg3 : tensor<1xf32>
    %cst_9 = stablehlo.constant dense<4.480000e+02> : tensor<f32>
    %20 = stablehlo.divide %cst_9, %17 : tensor<f32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %21 = stablehlo.divide %20, %cst_10 : tensor<f32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.compare GT, %17, %cst_11, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %23 = call @_where(%22, %21, %19) : (tensor<i1>, tensor<f32>, tensor<1xf32>) -> tensor<1xf32>
    %24 = stablehlo.is_finite %17 : (tensor<f32>) -> tensor<i1>
    %25 = call @_where_0(%24, %23, %19) : (tensor<i1>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %27 = stablehlo.divide %26, %25 : tensor<1xf32>
    %28 = stablehlo.convert %27 : (tensor<1xf32>) -> tensor<1xbf16>
    %29 = stablehlo.broadcast_in_dim %28, dims = [1] : (tensor<1xbf16>) -> tensor<128x96xbf16>
    %30 = stablehlo.divide %0, %29 : tensor<128x96xbf16>
    %cst_13 = stablehlo.constant dense<-4.480000e+02> : tensor<bf16>
    %cst_14 = stablehlo.constant dense<4.480000e+02> : tensor<bf16>
    %31 = call @clip_1(%30, %cst_13, %cst_14) : (tensor<128x96xbf16>, tensor<bf16>, tensor<bf16>) -> tensor<128x96xbf16>
    %32 = stablehlo.convert %31 : (tensor<128x96xbf16>) -> tensor<128x96xf8E4M3FN>
    %33 = stablehlo.dot_general %16, %32, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x128xf8E4M3FN>, tensor<128x96xf8E4M3FN>) -> tensor<64x96xbf16>
    %34 = stablehlo.multiply %11, %27 : tensor<1xf32>
    %35 = stablehlo.convert %34 : (tensor<1xf32>) -> tensor<1xbf16>
    %36 = stablehlo.broadcast_in_dim %35, dims = [1] : (tensor<1xbf16>) -> tensor<64x96xbf16>
    %37 = stablehlo.multiply %33, %36 : tensor<64x96xbf16>
    return %37 : tensor<64x96xbf16>
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
