module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1024xf32>, %arg1: tensor<1xf32>, %arg2: tensor<1024xf32>, %arg3: tensor<1xf32>, %arg4: tensor<1024xf32>, %arg5: tensor<1xf32>, %arg6: tensor<128x96xf32>, %arg7: tensor<64x128xbf16>) -> (tensor<1024xf32> {jax.result_info = "result[0]['_overwrite_with_gradient']['Dense_0']['Fp8DirectDotGeneralOp_0']['input_amax_history']"}, tensor<1xf32> {jax.result_info = "result[0]['_overwrite_with_gradient']['Dense_0']['Fp8DirectDotGeneralOp_0']['input_scale']"}, tensor<1024xf32> {jax.result_info = "result[0]['_overwrite_with_gradient']['Dense_0']['Fp8DirectDotGeneralOp_0']['kernel_amax_history']"}, tensor<1xf32> {jax.result_info = "result[0]['_overwrite_with_gradient']['Dense_0']['Fp8DirectDotGeneralOp_0']['kernel_scale']"}, tensor<1024xf32> {jax.result_info = "result[0]['_overwrite_with_gradient']['Dense_0']['Fp8DirectDotGeneralOp_0']['output_grad_amax_history']"}, tensor<1xf32> {jax.result_info = "result[0]['_overwrite_with_gradient']['Dense_0']['Fp8DirectDotGeneralOp_0']['output_grad_scale']"}, tensor<96xf32> {jax.result_info = "result[0]['params']['Dense_0']['bias']"}, tensor<128x96xf32> {jax.result_info = "result[0]['params']['Dense_0']['kernel']"}, tensor<64x128xbf16> {jax.result_info = "result[1]"}) {
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
    %12 = stablehlo.abs %arg7 : tensor<64x128xbf16>
    %cst_5 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %13 = stablehlo.reduce(%12 init: %cst_5) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<64x128xbf16>, tensor<bf16>) -> tensor<bf16>
    %14 = stablehlo.convert %13 : (tensor<bf16>) -> tensor<f32>
    %15 = call @_roll_static(%arg0) : (tensor<1024xf32>) -> tensor<1024xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %17 = "stablehlo.scatter"(%15, %16, %14) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      stablehlo.return %arg9 : tensor<f32>
    }) : (tensor<1024xf32>, tensor<1xi32>, tensor<f32>) -> tensor<1024xf32>
    %18 = stablehlo.convert %11 : (tensor<1xf32>) -> tensor<1xbf16>
    %19 = stablehlo.broadcast_in_dim %18, dims = [1] : (tensor<1xbf16>) -> tensor<64x128xbf16>
    %20 = stablehlo.divide %arg7, %19 : tensor<64x128xbf16>
    %cst_6 = stablehlo.constant dense<-4.480000e+02> : tensor<bf16>
    %cst_7 = stablehlo.constant dense<4.480000e+02> : tensor<bf16>
    %21 = call @clip(%20, %cst_6, %cst_7) : (tensor<64x128xbf16>, tensor<bf16>, tensor<bf16>) -> tensor<64x128xbf16>
    %22 = stablehlo.convert %21 : (tensor<64x128xbf16>) -> tensor<64x128xf8E4M3FN>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %23 = stablehlo.reduce(%arg2 init: %cst_8) applies stablehlo.maximum across dimensions = [0] : (tensor<1024xf32>, tensor<f32>) -> tensor<f32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %25 = stablehlo.divide %24, %arg3 : tensor<1xf32>
    %cst_10 = stablehlo.constant dense<4.480000e+02> : tensor<f32>
    %26 = stablehlo.divide %cst_10, %23 : tensor<f32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %27 = stablehlo.divide %26, %cst_11 : tensor<f32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.compare GT, %23, %cst_12, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %29 = call @_where(%28, %27, %25) : (tensor<i1>, tensor<f32>, tensor<1xf32>) -> tensor<1xf32>
    %30 = stablehlo.is_finite %23 : (tensor<f32>) -> tensor<i1>
    %31 = call @_where_0(%30, %29, %25) : (tensor<i1>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %33 = stablehlo.divide %32, %31 : tensor<1xf32>
    %34 = stablehlo.abs %0 : tensor<128x96xbf16>
    %cst_14 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %35 = stablehlo.reduce(%34 init: %cst_14) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<128x96xbf16>, tensor<bf16>) -> tensor<bf16>
    %36 = stablehlo.convert %35 : (tensor<bf16>) -> tensor<f32>
    %37 = call @_roll_static(%arg2) : (tensor<1024xf32>) -> tensor<1024xf32>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %38 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %39 = "stablehlo.scatter"(%37, %38, %36) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      stablehlo.return %arg9 : tensor<f32>
    }) : (tensor<1024xf32>, tensor<1xi32>, tensor<f32>) -> tensor<1024xf32>
    %40 = stablehlo.convert %33 : (tensor<1xf32>) -> tensor<1xbf16>
    %41 = stablehlo.broadcast_in_dim %40, dims = [1] : (tensor<1xbf16>) -> tensor<128x96xbf16>
    %42 = stablehlo.divide %0, %41 : tensor<128x96xbf16>
    %cst_16 = stablehlo.constant dense<-4.480000e+02> : tensor<bf16>
    %cst_17 = stablehlo.constant dense<4.480000e+02> : tensor<bf16>
    %43 = call @clip_1(%42, %cst_16, %cst_17) : (tensor<128x96xbf16>, tensor<bf16>, tensor<bf16>) -> tensor<128x96xbf16>
    %44 = stablehlo.convert %43 : (tensor<128x96xbf16>) -> tensor<128x96xf8E4M3FN>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<64x96xf32>
    %46 = stablehlo.convert %45 : (tensor<64x96xf32>) -> tensor<64x96xbf16>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %47 = stablehlo.reduce(%46 init: %cst_19) applies stablehlo.add across dimensions = [0] : (tensor<64x96xbf16>, tensor<bf16>) -> tensor<96xbf16>
    %48 = stablehlo.reshape %47 : (tensor<96xbf16>) -> tensor<1x96xbf16>
    %49 = stablehlo.reshape %48 : (tensor<1x96xbf16>) -> tensor<96xbf16>
    %cst_20 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %50 = stablehlo.reduce(%arg4 init: %cst_20) applies stablehlo.maximum across dimensions = [0] : (tensor<1024xf32>, tensor<f32>) -> tensor<f32>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %52 = stablehlo.divide %51, %arg5 : tensor<1xf32>
    %cst_22 = stablehlo.constant dense<5.734400e+04> : tensor<f32>
    %53 = stablehlo.divide %cst_22, %50 : tensor<f32>
    %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %54 = stablehlo.divide %53, %cst_23 : tensor<f32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55 = stablehlo.compare GT, %50, %cst_24, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %56 = call @_where_2(%55, %54, %52) : (tensor<i1>, tensor<f32>, tensor<1xf32>) -> tensor<1xf32>
    %57 = stablehlo.is_finite %50 : (tensor<f32>) -> tensor<i1>
    %58 = call @_where_3(%57, %56, %52) : (tensor<i1>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %60 = stablehlo.divide %59, %58 : tensor<1xf32>
    %61 = stablehlo.abs %46 : tensor<64x96xbf16>
    %cst_26 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %62 = stablehlo.reduce(%61 init: %cst_26) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<64x96xbf16>, tensor<bf16>) -> tensor<bf16>
    %63 = stablehlo.convert %62 : (tensor<bf16>) -> tensor<f32>
    %64 = call @_roll_static_4(%arg4) : (tensor<1024xf32>) -> tensor<1024xf32>
    %c_27 = stablehlo.constant dense<0> : tensor<i32>
    %65 = stablehlo.broadcast_in_dim %c_27, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %66 = "stablehlo.scatter"(%64, %65, %63) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      stablehlo.return %arg9 : tensor<f32>
    }) : (tensor<1024xf32>, tensor<1xi32>, tensor<f32>) -> tensor<1024xf32>
    %67 = stablehlo.convert %60 : (tensor<1xf32>) -> tensor<1xbf16>
    %68 = stablehlo.broadcast_in_dim %67, dims = [1] : (tensor<1xbf16>) -> tensor<64x96xbf16>
    %69 = stablehlo.divide %46, %68 : tensor<64x96xbf16>
    %cst_28 = stablehlo.constant dense<-5.734400e+04> : tensor<bf16>
    %cst_29 = stablehlo.constant dense<5.734400e+04> : tensor<bf16>
    %70 = call @clip_5(%69, %cst_28, %cst_29) : (tensor<64x96xbf16>, tensor<bf16>, tensor<bf16>) -> tensor<64x96xbf16>
    %71 = stablehlo.convert %70 : (tensor<64x96xbf16>) -> tensor<64x96xf8E5M2>
    %72 = stablehlo.dot_general %71, %44, contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<64x96xf8E5M2>, tensor<128x96xf8E4M3FN>) -> tensor<64x128xbf16>
    %73 = stablehlo.multiply %33, %60 : tensor<1xf32>
    %74 = stablehlo.convert %73 : (tensor<1xf32>) -> tensor<1xbf16>
    %75 = stablehlo.broadcast_in_dim %74, dims = [1] : (tensor<1xbf16>) -> tensor<64x128xbf16>
    %76 = stablehlo.multiply %72, %75 : tensor<64x128xbf16>
    %77 = stablehlo.dot_general %71, %22, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<64x96xf8E5M2>, tensor<64x128xf8E4M3FN>) -> tensor<96x128xbf16>
    %78 = stablehlo.transpose %77, dims = [1, 0] : (tensor<96x128xbf16>) -> tensor<128x96xbf16>
    %79 = stablehlo.multiply %11, %60 : tensor<1xf32>
    %80 = stablehlo.convert %79 : (tensor<1xf32>) -> tensor<1xbf16>
    %81 = stablehlo.broadcast_in_dim %80, dims = [1] : (tensor<1xbf16>) -> tensor<128x96xbf16>
    %82 = stablehlo.multiply %78, %81 : tensor<128x96xbf16>
    %83 = stablehlo.convert %49 : (tensor<96xbf16>) -> tensor<96xf32>
    %84 = stablehlo.convert %82 : (tensor<128x96xbf16>) -> tensor<128x96xf32>
    return %17, %11, %39, %33, %66, %60, %83, %84, %76 : tensor<1024xf32>, tensor<1xf32>, tensor<1024xf32>, tensor<1xf32>, tensor<1024xf32>, tensor<1xf32>, tensor<96xf32>, tensor<128x96xf32>, tensor<64x128xbf16>
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
  func.func private @_roll_static(%arg0: tensor<1024xf32>) -> tensor<1024xf32> {
    %0 = stablehlo.slice %arg0 [1:1024] : (tensor<1024xf32>) -> tensor<1023xf32>
    %1 = stablehlo.slice %arg0 [0:1] : (tensor<1024xf32>) -> tensor<1xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1023xf32>, tensor<1xf32>) -> tensor<1024xf32>
    return %2 : tensor<1024xf32>
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
  func.func private @_where_2(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<1xf32>) -> tensor<1xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<i1>, tensor<1xf32>
    return %1 : tensor<1xf32>
  }
  func.func private @_where_3(%arg0: tensor<i1>, %arg1: tensor<1xf32>, %arg2: tensor<1xf32>) -> tensor<1xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<1xf32>
    return %0 : tensor<1xf32>
  }
  func.func private @_roll_static_4(%arg0: tensor<1024xf32>) -> tensor<1024xf32> {
    %0 = stablehlo.slice %arg0 [1:1024] : (tensor<1024xf32>) -> tensor<1023xf32>
    %1 = stablehlo.slice %arg0 [0:1] : (tensor<1024xf32>) -> tensor<1xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1023xf32>, tensor<1xf32>) -> tensor<1024xf32>
    return %2 : tensor<1024xf32>
  }
  func.func private @clip_5(%arg0: tensor<64x96xbf16>, %arg1: tensor<bf16>, %arg2: tensor<bf16>) -> tensor<64x96xbf16> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<bf16>) -> tensor<64x96xbf16>
    %1 = stablehlo.maximum %0, %arg0 : tensor<64x96xbf16>
    %2 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<bf16>) -> tensor<64x96xbf16>
    %3 = stablehlo.minimum %2, %1 : tensor<64x96xbf16>
    return %3 : tensor<64x96xbf16>
  }
}
