module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1024xf32>, %arg1: tensor<1xf32>, %arg2: tensor<1024xf32>, %arg3: tensor<1xf32>, %arg4: tensor<1024xf32>, %arg5: tensor<1xf32>, %arg6: tensor<128x96xf32>, %arg7: tensor<64x128xbf16>) -> (tensor<1024xf32> {jax.result_info = "result[0]['_overwrite_with_gradient']['Dense_0']['Fp8DotGeneralOp_0']['input_amax_history']"}, tensor<1xf32> {jax.result_info = "result[0]['_overwrite_with_gradient']['Dense_0']['Fp8DotGeneralOp_0']['input_scale']"}, tensor<1024xf32> {jax.result_info = "result[0]['_overwrite_with_gradient']['Dense_0']['Fp8DotGeneralOp_0']['kernel_amax_history']"}, tensor<1xf32> {jax.result_info = "result[0]['_overwrite_with_gradient']['Dense_0']['Fp8DotGeneralOp_0']['kernel_scale']"}, tensor<1024xf32> {jax.result_info = "result[0]['_overwrite_with_gradient']['Dense_0']['Fp8DotGeneralOp_0']['output_grad_amax_history']"}, tensor<1xf32> {jax.result_info = "result[0]['_overwrite_with_gradient']['Dense_0']['Fp8DotGeneralOp_0']['output_grad_scale']"}, tensor<96xf32> {jax.result_info = "result[0]['params']['Dense_0']['bias']"}, tensor<128x96xf32> {jax.result_info = "result[0]['params']['Dense_0']['kernel']"}, tensor<64x128xbf16> {jax.result_info = "result[1]"}) {
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
    %23 = stablehlo.convert %22 : (tensor<64x128xf8E4M3FN>) -> tensor<64x128xbf16>
    %24 = stablehlo.convert %11 : (tensor<1xf32>) -> tensor<1xbf16>
    %25 = stablehlo.broadcast_in_dim %24, dims = [1] : (tensor<1xbf16>) -> tensor<64x128xbf16>
    %26 = stablehlo.multiply %23, %25 : tensor<64x128xbf16>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %27 = stablehlo.reduce(%arg2 init: %cst_8) applies stablehlo.maximum across dimensions = [0] : (tensor<1024xf32>, tensor<f32>) -> tensor<f32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %29 = stablehlo.divide %28, %arg3 : tensor<1xf32>
    %cst_10 = stablehlo.constant dense<4.480000e+02> : tensor<f32>
    %30 = stablehlo.divide %cst_10, %27 : tensor<f32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %31 = stablehlo.divide %30, %cst_11 : tensor<f32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.compare GT, %27, %cst_12, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %33 = call @_where(%32, %31, %29) : (tensor<i1>, tensor<f32>, tensor<1xf32>) -> tensor<1xf32>
    %34 = stablehlo.is_finite %27 : (tensor<f32>) -> tensor<i1>
    %35 = call @_where_0(%34, %33, %29) : (tensor<i1>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %37 = stablehlo.divide %36, %35 : tensor<1xf32>
    %38 = stablehlo.abs %0 : tensor<128x96xbf16>
    %cst_14 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %39 = stablehlo.reduce(%38 init: %cst_14) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<128x96xbf16>, tensor<bf16>) -> tensor<bf16>
    %40 = stablehlo.convert %39 : (tensor<bf16>) -> tensor<f32>
    %41 = call @_roll_static(%arg2) : (tensor<1024xf32>) -> tensor<1024xf32>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %42 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %43 = "stablehlo.scatter"(%41, %42, %40) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      stablehlo.return %arg9 : tensor<f32>
    }) : (tensor<1024xf32>, tensor<1xi32>, tensor<f32>) -> tensor<1024xf32>
    %44 = stablehlo.convert %37 : (tensor<1xf32>) -> tensor<1xbf16>
    %45 = stablehlo.broadcast_in_dim %44, dims = [1] : (tensor<1xbf16>) -> tensor<128x96xbf16>
    %46 = stablehlo.divide %0, %45 : tensor<128x96xbf16>
    %cst_16 = stablehlo.constant dense<-4.480000e+02> : tensor<bf16>
    %cst_17 = stablehlo.constant dense<4.480000e+02> : tensor<bf16>
    %47 = call @clip_1(%46, %cst_16, %cst_17) : (tensor<128x96xbf16>, tensor<bf16>, tensor<bf16>) -> tensor<128x96xbf16>
    %48 = stablehlo.convert %47 : (tensor<128x96xbf16>) -> tensor<128x96xf8E4M3FN>
    %49 = stablehlo.convert %48 : (tensor<128x96xf8E4M3FN>) -> tensor<128x96xbf16>
    %50 = stablehlo.convert %37 : (tensor<1xf32>) -> tensor<1xbf16>
    %51 = stablehlo.broadcast_in_dim %50, dims = [1] : (tensor<1xbf16>) -> tensor<128x96xbf16>
    %52 = stablehlo.multiply %49, %51 : tensor<128x96xbf16>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<64x96xf32>
    %54 = stablehlo.convert %53 : (tensor<64x96xf32>) -> tensor<64x96xbf16>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %55 = stablehlo.reduce(%54 init: %cst_19) applies stablehlo.add across dimensions = [0] : (tensor<64x96xbf16>, tensor<bf16>) -> tensor<96xbf16>
    %56 = stablehlo.reshape %55 : (tensor<96xbf16>) -> tensor<1x96xbf16>
    %57 = stablehlo.reshape %56 : (tensor<1x96xbf16>) -> tensor<96xbf16>
    %cst_20 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %58 = stablehlo.reduce(%arg4 init: %cst_20) applies stablehlo.maximum across dimensions = [0] : (tensor<1024xf32>, tensor<f32>) -> tensor<f32>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %60 = stablehlo.divide %59, %arg5 : tensor<1xf32>
    %cst_22 = stablehlo.constant dense<5.734400e+04> : tensor<f32>
    %61 = stablehlo.divide %cst_22, %58 : tensor<f32>
    %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %62 = stablehlo.divide %61, %cst_23 : tensor<f32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.compare GT, %58, %cst_24, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %64 = call @_where_2(%63, %62, %60) : (tensor<i1>, tensor<f32>, tensor<1xf32>) -> tensor<1xf32>
    %65 = stablehlo.is_finite %58 : (tensor<f32>) -> tensor<i1>
    %66 = call @_where_3(%65, %64, %60) : (tensor<i1>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %68 = stablehlo.divide %67, %66 : tensor<1xf32>
    %69 = stablehlo.abs %54 : tensor<64x96xbf16>
    %cst_26 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %70 = stablehlo.reduce(%69 init: %cst_26) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<64x96xbf16>, tensor<bf16>) -> tensor<bf16>
    %71 = stablehlo.convert %70 : (tensor<bf16>) -> tensor<f32>
    %72 = call @_roll_static_4(%arg4) : (tensor<1024xf32>) -> tensor<1024xf32>
    %c_27 = stablehlo.constant dense<0> : tensor<i32>
    %73 = stablehlo.broadcast_in_dim %c_27, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %74 = "stablehlo.scatter"(%72, %73, %71) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      stablehlo.return %arg9 : tensor<f32>
    }) : (tensor<1024xf32>, tensor<1xi32>, tensor<f32>) -> tensor<1024xf32>
    %75 = stablehlo.convert %68 : (tensor<1xf32>) -> tensor<1xbf16>
    %76 = stablehlo.broadcast_in_dim %75, dims = [1] : (tensor<1xbf16>) -> tensor<64x96xbf16>
    %77 = stablehlo.divide %54, %76 : tensor<64x96xbf16>
    %cst_28 = stablehlo.constant dense<-5.734400e+04> : tensor<bf16>
    %cst_29 = stablehlo.constant dense<5.734400e+04> : tensor<bf16>
    %78 = call @clip_5(%77, %cst_28, %cst_29) : (tensor<64x96xbf16>, tensor<bf16>, tensor<bf16>) -> tensor<64x96xbf16>
    %79 = stablehlo.convert %78 : (tensor<64x96xbf16>) -> tensor<64x96xf8E5M2>
    %80 = stablehlo.convert %79 : (tensor<64x96xf8E5M2>) -> tensor<64x96xbf16>
    %81 = stablehlo.convert %68 : (tensor<1xf32>) -> tensor<1xbf16>
    %82 = stablehlo.broadcast_in_dim %81, dims = [1] : (tensor<1xbf16>) -> tensor<64x96xbf16>
    %83 = stablehlo.multiply %80, %82 : tensor<64x96xbf16>
    %84 = stablehlo.dot_general %83, %26, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<64x96xbf16>, tensor<64x128xbf16>) -> tensor<96x128xbf16>
    %85 = stablehlo.transpose %84, dims = [1, 0] : (tensor<96x128xbf16>) -> tensor<128x96xbf16>
    %86 = stablehlo.dot_general %83, %52, contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<64x96xbf16>, tensor<128x96xbf16>) -> tensor<64x128xbf16>
    %87 = stablehlo.convert %57 : (tensor<96xbf16>) -> tensor<96xf32>
    %88 = stablehlo.convert %85 : (tensor<128x96xbf16>) -> tensor<128x96xf32>
    return %17, %11, %43, %37, %74, %68, %87, %88, %86 : tensor<1024xf32>, tensor<1xf32>, tensor<1024xf32>, tensor<1xf32>, tensor<1024xf32>, tensor<1xf32>, tensor<96xf32>, tensor<128x96xf32>, tensor<64x128xbf16>
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
