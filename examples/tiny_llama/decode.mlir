module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<512x128xf32> loc("embedding"), %arg1: tensor<128xf32> loc("layers.0.attention_norm"), %arg2: tensor<128x128xf32> loc("layers.0.query"), %arg3: tensor<128x64xf32> loc("layers.0.key"), %arg4: tensor<128x64xf32> loc("layers.0.value"), %arg5: tensor<128x128xf32> loc("layers.0.output"), %arg6: tensor<128xf32> loc("layers.0.mlp_norm"), %arg7: tensor<128x320xf32> loc("layers.0.gate"), %arg8: tensor<128x320xf32> loc("layers.0.up"), %arg9: tensor<320x128xf32> loc("layers.0.down"), %arg10: tensor<128xf32> loc("layers.1.attention_norm"), %arg11: tensor<128x128xf32> loc("layers.1.query"), %arg12: tensor<128x64xf32> loc("layers.1.key"), %arg13: tensor<128x64xf32> loc("layers.1.value"), %arg14: tensor<128x128xf32> loc("layers.1.output"), %arg15: tensor<128xf32> loc("layers.1.mlp_norm"), %arg16: tensor<128x320xf32> loc("layers.1.gate"), %arg17: tensor<128x320xf32> loc("layers.1.up"), %arg18: tensor<320x128xf32> loc("layers.1.down"), %arg19: tensor<128xf32> loc("layers.2.attention_norm"), %arg20: tensor<128x128xf32> loc("layers.2.query"), %arg21: tensor<128x64xf32> loc("layers.2.key"), %arg22: tensor<128x64xf32> loc("layers.2.value"), %arg23: tensor<128x128xf32> loc("layers.2.output"), %arg24: tensor<128xf32> loc("layers.2.mlp_norm"), %arg25: tensor<128x320xf32> loc("layers.2.gate"), %arg26: tensor<128x320xf32> loc("layers.2.up"), %arg27: tensor<320x128xf32> loc("layers.2.down"), %arg28: tensor<128xf32> loc("layers.3.attention_norm"), %arg29: tensor<128x128xf32> loc("layers.3.query"), %arg30: tensor<128x64xf32> loc("layers.3.key"), %arg31: tensor<128x64xf32> loc("layers.3.value"), %arg32: tensor<128x128xf32> loc("layers.3.output"), %arg33: tensor<128xf32> loc("layers.3.mlp_norm"), %arg34: tensor<128x320xf32> loc("layers.3.gate"), %arg35: tensor<128x320xf32> loc("layers.3.up"), %arg36: tensor<320x128xf32> loc("layers.3.down"), %arg37: tensor<128xf32> loc("layers.4.attention_norm"), %arg38: tensor<128x128xf32> loc("layers.4.query"), %arg39: tensor<128x64xf32> loc("layers.4.key"), %arg40: tensor<128x64xf32> loc("layers.4.value"), %arg41: tensor<128x128xf32> loc("layers.4.output"), %arg42: tensor<128xf32> loc("layers.4.mlp_norm"), %arg43: tensor<128x320xf32> loc("layers.4.gate"), %arg44: tensor<128x320xf32> loc("layers.4.up"), %arg45: tensor<320x128xf32> loc("layers.4.down"), %arg46: tensor<128xf32> loc("final_norm"), %arg47: tensor<128x512xf32> loc("logits"), %arg48: tensor<1x256x2x32xf32> {tf.aliasing_output = 2 : i32} loc("layers.0.key_cache"), %arg49: tensor<1x256x2x32xf32> {tf.aliasing_output = 3 : i32} loc("layers.0.value_cache"), %arg50: tensor<1x256x2x32xf32> {tf.aliasing_output = 4 : i32} loc("layers.1.key_cache"), %arg51: tensor<1x256x2x32xf32> {tf.aliasing_output = 5 : i32} loc("layers.1.value_cache"), %arg52: tensor<1x256x2x32xf32> {tf.aliasing_output = 6 : i32} loc("layers.2.key_cache"), %arg53: tensor<1x256x2x32xf32> {tf.aliasing_output = 7 : i32} loc("layers.2.value_cache"), %arg54: tensor<1x256x2x32xf32> {tf.aliasing_output = 8 : i32} loc("layers.3.key_cache"), %arg55: tensor<1x256x2x32xf32> {tf.aliasing_output = 9 : i32} loc("layers.3.value_cache"), %arg56: tensor<1x256x2x32xf32> {tf.aliasing_output = 10 : i32} loc("layers.4.key_cache"), %arg57: tensor<1x256x2x32xf32> {tf.aliasing_output = 11 : i32} loc("layers.4.value_cache"), %arg58: tensor<i32> loc("position"), %arg59: tensor<1xi32> loc("token")) -> (tensor<1xi32> {jax.result_info = "result[0]"}, tensor<1x512xf32> {jax.result_info = "result[1]"}, tensor<1x256x2x32xf32> {jax.result_info = "result[2][0][0]"}, tensor<1x256x2x32xf32> {jax.result_info = "result[2][0][1]"}, tensor<1x256x2x32xf32> {jax.result_info = "result[2][1][0]"}, tensor<1x256x2x32xf32> {jax.result_info = "result[2][1][1]"}, tensor<1x256x2x32xf32> {jax.result_info = "result[2][2][0]"}, tensor<1x256x2x32xf32> {jax.result_info = "result[2][2][1]"}, tensor<1x256x2x32xf32> {jax.result_info = "result[2][3][0]"}, tensor<1x256x2x32xf32> {jax.result_info = "result[2][3][1]"}, tensor<1x256x2x32xf32> {jax.result_info = "result[2][4][0]"}, tensor<1x256x2x32xf32> {jax.result_info = "result[2][4][1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.compare LT, %arg59, %0, SIGNED : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %c_0 = stablehlo.constant dense<512> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %3 = stablehlo.add %arg59, %2 : tensor<1xi32>
    %4 = stablehlo.select %1, %3, %arg59 : tensor<1xi1>, tensor<1xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<1xi32>) -> tensor<1x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 128>}> : (tensor<512x128xf32>, tensor<1x1xi32>) -> tensor<1x128xf32>
    %7 = stablehlo.multiply %6, %6 : tensor<1x128xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<1x128xf32>, tensor<f32>) -> tensor<1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_1 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %11 = stablehlo.divide %9, %10 : tensor<1x1xf32>
    %cst_2 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %13 = stablehlo.add %11, %12 : tensor<1x1xf32>
    %14 = stablehlo.rsqrt %13 : tensor<1x1xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x128xf32>
    %16 = stablehlo.multiply %6, %15 : tensor<1x128xf32>
    %17 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<128xf32>) -> tensor<1x128xf32>
    %18 = stablehlo.multiply %16, %17 : tensor<1x128xf32>
    %19 = stablehlo.broadcast_in_dim %arg58, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %20 = stablehlo.dot_general %18, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
    %21 = stablehlo.reshape %20 : (tensor<1x128xf32>) -> tensor<1x4x32xf32>
    %22 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %23 = stablehlo.iota dim = 0 : tensor<16xi32>
    %24 = stablehlo.convert %23 : (tensor<16xi32>) -> tensor<16xf32>
    %cst_3 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %26 = stablehlo.divide %24, %25 : tensor<16xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %28 = stablehlo.power %27, %26 : tensor<16xf32>
    %29 = stablehlo.convert %22 : (tensor<1x1x1xi32>) -> tensor<1x1x1xf32>
    %30 = stablehlo.broadcast_in_dim %28, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %31 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<1x1x16xf32>
    %32 = stablehlo.divide %31, %30 : tensor<1x1x16xf32>
    %33 = stablehlo.cosine %32 : tensor<1x1x16xf32>
    %34 = stablehlo.sine %32 : tensor<1x1x16xf32>
    %35 = stablehlo.slice %21 [0:1, 0:4, 0:16] : (tensor<1x4x32xf32>) -> tensor<1x4x16xf32>
    %36 = stablehlo.slice %21 [0:1, 0:4, 16:32] : (tensor<1x4x32xf32>) -> tensor<1x4x16xf32>
    %37 = stablehlo.broadcast_in_dim %33, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x4x16xf32>
    %38 = stablehlo.multiply %35, %37 : tensor<1x4x16xf32>
    %39 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x4x16xf32>
    %40 = stablehlo.multiply %36, %39 : tensor<1x4x16xf32>
    %41 = stablehlo.subtract %38, %40 : tensor<1x4x16xf32>
    %42 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x4x16xf32>
    %43 = stablehlo.multiply %35, %42 : tensor<1x4x16xf32>
    %44 = stablehlo.broadcast_in_dim %33, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x4x16xf32>
    %45 = stablehlo.multiply %36, %44 : tensor<1x4x16xf32>
    %46 = stablehlo.add %43, %45 : tensor<1x4x16xf32>
    %47 = stablehlo.concatenate %41, %46, dim = 2 : (tensor<1x4x16xf32>, tensor<1x4x16xf32>) -> tensor<1x4x32xf32>
    %48 = stablehlo.dot_general %18, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x64xf32>) -> tensor<1x64xf32>
    %49 = stablehlo.reshape %48 : (tensor<1x64xf32>) -> tensor<1x2x32xf32>
    %50 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %51 = stablehlo.iota dim = 0 : tensor<16xi32>
    %52 = stablehlo.convert %51 : (tensor<16xi32>) -> tensor<16xf32>
    %cst_5 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %54 = stablehlo.divide %52, %53 : tensor<16xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %56 = stablehlo.power %55, %54 : tensor<16xf32>
    %57 = stablehlo.convert %50 : (tensor<1x1x1xi32>) -> tensor<1x1x1xf32>
    %58 = stablehlo.broadcast_in_dim %56, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %59 = stablehlo.broadcast_in_dim %57, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<1x1x16xf32>
    %60 = stablehlo.divide %59, %58 : tensor<1x1x16xf32>
    %61 = stablehlo.cosine %60 : tensor<1x1x16xf32>
    %62 = stablehlo.sine %60 : tensor<1x1x16xf32>
    %63 = stablehlo.slice %49 [0:1, 0:2, 0:16] : (tensor<1x2x32xf32>) -> tensor<1x2x16xf32>
    %64 = stablehlo.slice %49 [0:1, 0:2, 16:32] : (tensor<1x2x32xf32>) -> tensor<1x2x16xf32>
    %65 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x2x16xf32>
    %66 = stablehlo.multiply %63, %65 : tensor<1x2x16xf32>
    %67 = stablehlo.broadcast_in_dim %62, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x2x16xf32>
    %68 = stablehlo.multiply %64, %67 : tensor<1x2x16xf32>
    %69 = stablehlo.subtract %66, %68 : tensor<1x2x16xf32>
    %70 = stablehlo.broadcast_in_dim %62, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x2x16xf32>
    %71 = stablehlo.multiply %63, %70 : tensor<1x2x16xf32>
    %72 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x2x16xf32>
    %73 = stablehlo.multiply %64, %72 : tensor<1x2x16xf32>
    %74 = stablehlo.add %71, %73 : tensor<1x2x16xf32>
    %75 = stablehlo.concatenate %69, %74, dim = 2 : (tensor<1x2x16xf32>, tensor<1x2x16xf32>) -> tensor<1x2x32xf32>
    %76 = stablehlo.dot_general %18, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x64xf32>) -> tensor<1x64xf32>
    %77 = stablehlo.reshape %76 : (tensor<1x64xf32>) -> tensor<1x2x32xf32>
    %78 = stablehlo.broadcast_in_dim %75, dims = [0, 2, 3] : (tensor<1x2x32xf32>) -> tensor<1x1x2x32xf32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %79 = stablehlo.compare LT, %arg58, %c_7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_8 = stablehlo.constant dense<256> : tensor<i32>
    %80 = stablehlo.add %arg58, %c_8 : tensor<i32>
    %81 = stablehlo.select %79, %80, %arg58 : tensor<i1>, tensor<i32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %82 = stablehlo.dynamic_update_slice %arg48, %78, %c_9, %81, %c_10, %c_11 : (tensor<1x256x2x32xf32>, tensor<1x1x2x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x2x32xf32>
    %83 = stablehlo.broadcast_in_dim %77, dims = [0, 2, 3] : (tensor<1x2x32xf32>) -> tensor<1x1x2x32xf32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %84 = stablehlo.compare LT, %arg58, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_13 = stablehlo.constant dense<256> : tensor<i32>
    %85 = stablehlo.add %arg58, %c_13 : tensor<i32>
    %86 = stablehlo.select %84, %85, %arg58 : tensor<i1>, tensor<i32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %c_16 = stablehlo.constant dense<0> : tensor<i32>
    %87 = stablehlo.dynamic_update_slice %arg49, %83, %c_14, %86, %c_15, %c_16 : (tensor<1x256x2x32xf32>, tensor<1x1x2x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x2x32xf32>
    %88 = stablehlo.iota dim = 0 : tensor<256xi32>
    %89 = stablehlo.broadcast_in_dim %arg58, dims = [] : (tensor<i32>) -> tensor<256xi32>
    %90 = stablehlo.compare LE, %88, %89, SIGNED : (tensor<256xi32>, tensor<256xi32>) -> tensor<256xi1>
    %91 = stablehlo.broadcast_in_dim %90, dims = [3] : (tensor<256xi1>) -> tensor<1x1x1x256xi1>
    %92 = stablehlo.broadcast_in_dim %47, dims = [0, 2, 3] : (tensor<1x4x32xf32>) -> tensor<1x1x4x32xf32>
    %93 = stablehlo.reshape %92 : (tensor<1x1x4x32xf32>) -> tensor<1x1x2x2x32xf32>
    %94 = stablehlo.broadcast_in_dim %91, dims = [0, 1, 3, 4] : (tensor<1x1x1x256xi1>) -> tensor<1x1x1x1x256xi1>
    %95 = stablehlo.broadcast_in_dim %94, dims = [0, 1, 2, 3, 4] : (tensor<1x1x1x1x256xi1>) -> tensor<1x1x2x1x256xi1>
    %96 = stablehlo.dot_general %93, %82, batching_dims = [0, 2] x [0, 2], contracting_dims = [4] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x1x2x2x32xf32>, tensor<1x256x2x32xf32>) -> tensor<1x2x1x2x256xf32>
    %cst_17 = stablehlo.constant dense<0.176776692> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<1x2x1x2x256xf32>
    %98 = stablehlo.multiply %96, %97 : tensor<1x2x1x2x256xf32>
    %c_18 = stablehlo.constant dense<true> : tensor<i1>
    %99 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i1>) -> tensor<1x2x1x256xi1>
    %100 = stablehlo.broadcast_in_dim %99, dims = [1, 2, 3, 4] : (tensor<1x2x1x256xi1>) -> tensor<1x1x2x1x256xi1>
    %101 = stablehlo.transpose %95, dims = [2, 0, 1, 3, 4] : (tensor<1x1x2x1x256xi1>) -> tensor<2x1x1x1x256xi1>
    %102 = stablehlo.broadcast_in_dim %100, dims = [0, 1, 2, 3, 4] : (tensor<1x1x2x1x256xi1>) -> tensor<2x1x2x1x256xi1>
    %103 = stablehlo.broadcast_in_dim %101, dims = [0, 1, 2, 3, 4] : (tensor<2x1x1x1x256xi1>) -> tensor<2x1x2x1x256xi1>
    %104 = stablehlo.and %102, %103 : tensor<2x1x2x1x256xi1>
    %cst_19 = stablehlo.constant dense<-2.38197633E+38> : tensor<f32>
    %105 = call @_where(%104, %98, %cst_19) : (tensor<2x1x2x1x256xi1>, tensor<1x2x1x2x256xf32>, tensor<f32>) -> tensor<2x1x2x1x256xf32>
    %cst_20 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %106 = stablehlo.reduce(%105 init: %cst_20) applies stablehlo.maximum across dimensions = [4] : (tensor<2x1x2x1x256xf32>, tensor<f32>) -> tensor<2x1x2x1xf32>
    %cst_21 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<2x1x2x1xf32>
    %108 = stablehlo.maximum %107, %106 : tensor<2x1x2x1xf32>
    %109 = stablehlo.broadcast_in_dim %108, dims = [0, 1, 2, 3] : (tensor<2x1x2x1xf32>) -> tensor<2x1x2x1x1xf32>
    %110 = stablehlo.broadcast_in_dim %109, dims = [0, 1, 2, 3, 4] : (tensor<2x1x2x1x1xf32>) -> tensor<2x1x2x1x256xf32>
    %111 = stablehlo.subtract %105, %110 : tensor<2x1x2x1x256xf32>
    %112 = stablehlo.exponential %111 : tensor<2x1x2x1x256xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %113 = stablehlo.reduce(%112 init: %cst_22) applies stablehlo.add across dimensions = [4] : (tensor<2x1x2x1x256xf32>, tensor<f32>) -> tensor<2x1x2x1xf32>
    %114 = stablehlo.broadcast_in_dim %113, dims = [0, 1, 2, 3] : (tensor<2x1x2x1xf32>) -> tensor<2x1x2x1x1xf32>
    %115 = stablehlo.broadcast_in_dim %114, dims = [0, 1, 2, 3, 4] : (tensor<2x1x2x1x1xf32>) -> tensor<2x1x2x1x256xf32>
    %116 = stablehlo.divide %112, %115 : tensor<2x1x2x1x256xf32>
    %117 = stablehlo.dot_general %87, %116, batching_dims = [0, 2] x [1, 2], contracting_dims = [1] x [4], precision = [DEFAULT, DEFAULT] : (tensor<1x256x2x32xf32>, tensor<2x1x2x1x256xf32>) -> tensor<1x2x32x2x1xf32>
    %118 = stablehlo.transpose %117, dims = [3, 0, 4, 1, 2] : (tensor<1x2x32x2x1xf32>) -> tensor<2x1x1x2x32xf32>
    %119 = stablehlo.transpose %118, dims = [1, 2, 3, 0, 4] : (tensor<2x1x1x2x32xf32>) -> tensor<1x1x2x2x32xf32>
    %120 = stablehlo.reshape %119 : (tensor<1x1x2x2x32xf32>) -> tensor<1x1x4x32xf32>
    %121 = stablehlo.reshape %120 : (tensor<1x1x4x32xf32>) -> tensor<1x4x32xf32>
    %122 = stablehlo.reshape %121 : (tensor<1x4x32xf32>) -> tensor<1x128xf32>
    %123 = stablehlo.dot_general %122, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
    %124 = stablehlo.add %6, %123 : tensor<1x128xf32>
    %125 = stablehlo.multiply %124, %124 : tensor<1x128xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %126 = stablehlo.reduce(%125 init: %cst_23) applies stablehlo.add across dimensions = [1] : (tensor<1x128xf32>, tensor<f32>) -> tensor<1xf32>
    %127 = stablehlo.broadcast_in_dim %126, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_24 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %128 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %129 = stablehlo.divide %127, %128 : tensor<1x1xf32>
    %cst_25 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %130 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %131 = stablehlo.add %129, %130 : tensor<1x1xf32>
    %132 = stablehlo.rsqrt %131 : tensor<1x1xf32>
    %133 = stablehlo.broadcast_in_dim %132, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x128xf32>
    %134 = stablehlo.multiply %124, %133 : tensor<1x128xf32>
    %135 = stablehlo.broadcast_in_dim %arg6, dims = [1] : (tensor<128xf32>) -> tensor<1x128xf32>
    %136 = stablehlo.multiply %134, %135 : tensor<1x128xf32>
    %137 = stablehlo.dot_general %136, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x320xf32>) -> tensor<1x320xf32>
    %138 = call @silu(%137) : (tensor<1x320xf32>) -> tensor<1x320xf32>
    %139 = stablehlo.dot_general %136, %arg8, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x320xf32>) -> tensor<1x320xf32>
    %140 = stablehlo.multiply %138, %139 : tensor<1x320xf32>
    %141 = stablehlo.dot_general %140, %arg9, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x320xf32>, tensor<320x128xf32>) -> tensor<1x128xf32>
    %142 = stablehlo.add %124, %141 : tensor<1x128xf32>
    %143 = stablehlo.multiply %142, %142 : tensor<1x128xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %144 = stablehlo.reduce(%143 init: %cst_26) applies stablehlo.add across dimensions = [1] : (tensor<1x128xf32>, tensor<f32>) -> tensor<1xf32>
    %145 = stablehlo.broadcast_in_dim %144, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_27 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %146 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %147 = stablehlo.divide %145, %146 : tensor<1x1xf32>
    %cst_28 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %148 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %149 = stablehlo.add %147, %148 : tensor<1x1xf32>
    %150 = stablehlo.rsqrt %149 : tensor<1x1xf32>
    %151 = stablehlo.broadcast_in_dim %150, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x128xf32>
    %152 = stablehlo.multiply %142, %151 : tensor<1x128xf32>
    %153 = stablehlo.broadcast_in_dim %arg10, dims = [1] : (tensor<128xf32>) -> tensor<1x128xf32>
    %154 = stablehlo.multiply %152, %153 : tensor<1x128xf32>
    %155 = stablehlo.broadcast_in_dim %arg58, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %156 = stablehlo.dot_general %154, %arg11, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
    %157 = stablehlo.reshape %156 : (tensor<1x128xf32>) -> tensor<1x4x32xf32>
    %158 = stablehlo.broadcast_in_dim %155, dims = [0] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %159 = stablehlo.iota dim = 0 : tensor<16xi32>
    %160 = stablehlo.convert %159 : (tensor<16xi32>) -> tensor<16xf32>
    %cst_29 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %161 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %162 = stablehlo.divide %160, %161 : tensor<16xf32>
    %cst_30 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %163 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %164 = stablehlo.power %163, %162 : tensor<16xf32>
    %165 = stablehlo.convert %158 : (tensor<1x1x1xi32>) -> tensor<1x1x1xf32>
    %166 = stablehlo.broadcast_in_dim %164, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %167 = stablehlo.broadcast_in_dim %165, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<1x1x16xf32>
    %168 = stablehlo.divide %167, %166 : tensor<1x1x16xf32>
    %169 = stablehlo.cosine %168 : tensor<1x1x16xf32>
    %170 = stablehlo.sine %168 : tensor<1x1x16xf32>
    %171 = stablehlo.slice %157 [0:1, 0:4, 0:16] : (tensor<1x4x32xf32>) -> tensor<1x4x16xf32>
    %172 = stablehlo.slice %157 [0:1, 0:4, 16:32] : (tensor<1x4x32xf32>) -> tensor<1x4x16xf32>
    %173 = stablehlo.broadcast_in_dim %169, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x4x16xf32>
    %174 = stablehlo.multiply %171, %173 : tensor<1x4x16xf32>
    %175 = stablehlo.broadcast_in_dim %170, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x4x16xf32>
    %176 = stablehlo.multiply %172, %175 : tensor<1x4x16xf32>
    %177 = stablehlo.subtract %174, %176 : tensor<1x4x16xf32>
    %178 = stablehlo.broadcast_in_dim %170, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x4x16xf32>
    %179 = stablehlo.multiply %171, %178 : tensor<1x4x16xf32>
    %180 = stablehlo.broadcast_in_dim %169, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x4x16xf32>
    %181 = stablehlo.multiply %172, %180 : tensor<1x4x16xf32>
    %182 = stablehlo.add %179, %181 : tensor<1x4x16xf32>
    %183 = stablehlo.concatenate %177, %182, dim = 2 : (tensor<1x4x16xf32>, tensor<1x4x16xf32>) -> tensor<1x4x32xf32>
    %184 = stablehlo.dot_general %154, %arg12, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x64xf32>) -> tensor<1x64xf32>
    %185 = stablehlo.reshape %184 : (tensor<1x64xf32>) -> tensor<1x2x32xf32>
    %186 = stablehlo.broadcast_in_dim %155, dims = [0] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %187 = stablehlo.iota dim = 0 : tensor<16xi32>
    %188 = stablehlo.convert %187 : (tensor<16xi32>) -> tensor<16xf32>
    %cst_31 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %189 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %190 = stablehlo.divide %188, %189 : tensor<16xf32>
    %cst_32 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %191 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %192 = stablehlo.power %191, %190 : tensor<16xf32>
    %193 = stablehlo.convert %186 : (tensor<1x1x1xi32>) -> tensor<1x1x1xf32>
    %194 = stablehlo.broadcast_in_dim %192, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %195 = stablehlo.broadcast_in_dim %193, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<1x1x16xf32>
    %196 = stablehlo.divide %195, %194 : tensor<1x1x16xf32>
    %197 = stablehlo.cosine %196 : tensor<1x1x16xf32>
    %198 = stablehlo.sine %196 : tensor<1x1x16xf32>
    %199 = stablehlo.slice %185 [0:1, 0:2, 0:16] : (tensor<1x2x32xf32>) -> tensor<1x2x16xf32>
    %200 = stablehlo.slice %185 [0:1, 0:2, 16:32] : (tensor<1x2x32xf32>) -> tensor<1x2x16xf32>
    %201 = stablehlo.broadcast_in_dim %197, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x2x16xf32>
    %202 = stablehlo.multiply %199, %201 : tensor<1x2x16xf32>
    %203 = stablehlo.broadcast_in_dim %198, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x2x16xf32>
    %204 = stablehlo.multiply %200, %203 : tensor<1x2x16xf32>
    %205 = stablehlo.subtract %202, %204 : tensor<1x2x16xf32>
    %206 = stablehlo.broadcast_in_dim %198, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x2x16xf32>
    %207 = stablehlo.multiply %199, %206 : tensor<1x2x16xf32>
    %208 = stablehlo.broadcast_in_dim %197, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x2x16xf32>
    %209 = stablehlo.multiply %200, %208 : tensor<1x2x16xf32>
    %210 = stablehlo.add %207, %209 : tensor<1x2x16xf32>
    %211 = stablehlo.concatenate %205, %210, dim = 2 : (tensor<1x2x16xf32>, tensor<1x2x16xf32>) -> tensor<1x2x32xf32>
    %212 = stablehlo.dot_general %154, %arg13, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x64xf32>) -> tensor<1x64xf32>
    %213 = stablehlo.reshape %212 : (tensor<1x64xf32>) -> tensor<1x2x32xf32>
    %214 = stablehlo.broadcast_in_dim %211, dims = [0, 2, 3] : (tensor<1x2x32xf32>) -> tensor<1x1x2x32xf32>
    %c_33 = stablehlo.constant dense<0> : tensor<i32>
    %215 = stablehlo.compare LT, %arg58, %c_33, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_34 = stablehlo.constant dense<256> : tensor<i32>
    %216 = stablehlo.add %arg58, %c_34 : tensor<i32>
    %217 = stablehlo.select %215, %216, %arg58 : tensor<i1>, tensor<i32>
    %c_35 = stablehlo.constant dense<0> : tensor<i32>
    %c_36 = stablehlo.constant dense<0> : tensor<i32>
    %c_37 = stablehlo.constant dense<0> : tensor<i32>
    %218 = stablehlo.dynamic_update_slice %arg50, %214, %c_35, %217, %c_36, %c_37 : (tensor<1x256x2x32xf32>, tensor<1x1x2x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x2x32xf32>
    %219 = stablehlo.broadcast_in_dim %213, dims = [0, 2, 3] : (tensor<1x2x32xf32>) -> tensor<1x1x2x32xf32>
    %c_38 = stablehlo.constant dense<0> : tensor<i32>
    %220 = stablehlo.compare LT, %arg58, %c_38, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_39 = stablehlo.constant dense<256> : tensor<i32>
    %221 = stablehlo.add %arg58, %c_39 : tensor<i32>
    %222 = stablehlo.select %220, %221, %arg58 : tensor<i1>, tensor<i32>
    %c_40 = stablehlo.constant dense<0> : tensor<i32>
    %c_41 = stablehlo.constant dense<0> : tensor<i32>
    %c_42 = stablehlo.constant dense<0> : tensor<i32>
    %223 = stablehlo.dynamic_update_slice %arg51, %219, %c_40, %222, %c_41, %c_42 : (tensor<1x256x2x32xf32>, tensor<1x1x2x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x2x32xf32>
    %224 = stablehlo.iota dim = 0 : tensor<256xi32>
    %225 = stablehlo.broadcast_in_dim %arg58, dims = [] : (tensor<i32>) -> tensor<256xi32>
    %226 = stablehlo.compare LE, %224, %225, SIGNED : (tensor<256xi32>, tensor<256xi32>) -> tensor<256xi1>
    %227 = stablehlo.broadcast_in_dim %226, dims = [3] : (tensor<256xi1>) -> tensor<1x1x1x256xi1>
    %228 = stablehlo.broadcast_in_dim %183, dims = [0, 2, 3] : (tensor<1x4x32xf32>) -> tensor<1x1x4x32xf32>
    %229 = stablehlo.reshape %228 : (tensor<1x1x4x32xf32>) -> tensor<1x1x2x2x32xf32>
    %230 = stablehlo.broadcast_in_dim %227, dims = [0, 1, 3, 4] : (tensor<1x1x1x256xi1>) -> tensor<1x1x1x1x256xi1>
    %231 = stablehlo.broadcast_in_dim %230, dims = [0, 1, 2, 3, 4] : (tensor<1x1x1x1x256xi1>) -> tensor<1x1x2x1x256xi1>
    %232 = stablehlo.dot_general %229, %218, batching_dims = [0, 2] x [0, 2], contracting_dims = [4] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x1x2x2x32xf32>, tensor<1x256x2x32xf32>) -> tensor<1x2x1x2x256xf32>
    %cst_43 = stablehlo.constant dense<0.176776692> : tensor<f32>
    %233 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<1x2x1x2x256xf32>
    %234 = stablehlo.multiply %232, %233 : tensor<1x2x1x2x256xf32>
    %c_44 = stablehlo.constant dense<true> : tensor<i1>
    %235 = stablehlo.broadcast_in_dim %c_44, dims = [] : (tensor<i1>) -> tensor<1x2x1x256xi1>
    %236 = stablehlo.broadcast_in_dim %235, dims = [1, 2, 3, 4] : (tensor<1x2x1x256xi1>) -> tensor<1x1x2x1x256xi1>
    %237 = stablehlo.transpose %231, dims = [2, 0, 1, 3, 4] : (tensor<1x1x2x1x256xi1>) -> tensor<2x1x1x1x256xi1>
    %238 = stablehlo.broadcast_in_dim %236, dims = [0, 1, 2, 3, 4] : (tensor<1x1x2x1x256xi1>) -> tensor<2x1x2x1x256xi1>
    %239 = stablehlo.broadcast_in_dim %237, dims = [0, 1, 2, 3, 4] : (tensor<2x1x1x1x256xi1>) -> tensor<2x1x2x1x256xi1>
    %240 = stablehlo.and %238, %239 : tensor<2x1x2x1x256xi1>
    %cst_45 = stablehlo.constant dense<-2.38197633E+38> : tensor<f32>
    %241 = call @_where(%240, %234, %cst_45) : (tensor<2x1x2x1x256xi1>, tensor<1x2x1x2x256xf32>, tensor<f32>) -> tensor<2x1x2x1x256xf32>
    %cst_46 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %242 = stablehlo.reduce(%241 init: %cst_46) applies stablehlo.maximum across dimensions = [4] : (tensor<2x1x2x1x256xf32>, tensor<f32>) -> tensor<2x1x2x1xf32>
    %cst_47 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %243 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<2x1x2x1xf32>
    %244 = stablehlo.maximum %243, %242 : tensor<2x1x2x1xf32>
    %245 = stablehlo.broadcast_in_dim %244, dims = [0, 1, 2, 3] : (tensor<2x1x2x1xf32>) -> tensor<2x1x2x1x1xf32>
    %246 = stablehlo.broadcast_in_dim %245, dims = [0, 1, 2, 3, 4] : (tensor<2x1x2x1x1xf32>) -> tensor<2x1x2x1x256xf32>
    %247 = stablehlo.subtract %241, %246 : tensor<2x1x2x1x256xf32>
    %248 = stablehlo.exponential %247 : tensor<2x1x2x1x256xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %249 = stablehlo.reduce(%248 init: %cst_48) applies stablehlo.add across dimensions = [4] : (tensor<2x1x2x1x256xf32>, tensor<f32>) -> tensor<2x1x2x1xf32>
    %250 = stablehlo.broadcast_in_dim %249, dims = [0, 1, 2, 3] : (tensor<2x1x2x1xf32>) -> tensor<2x1x2x1x1xf32>
    %251 = stablehlo.broadcast_in_dim %250, dims = [0, 1, 2, 3, 4] : (tensor<2x1x2x1x1xf32>) -> tensor<2x1x2x1x256xf32>
    %252 = stablehlo.divide %248, %251 : tensor<2x1x2x1x256xf32>
    %253 = stablehlo.dot_general %223, %252, batching_dims = [0, 2] x [1, 2], contracting_dims = [1] x [4], precision = [DEFAULT, DEFAULT] : (tensor<1x256x2x32xf32>, tensor<2x1x2x1x256xf32>) -> tensor<1x2x32x2x1xf32>
    %254 = stablehlo.transpose %253, dims = [3, 0, 4, 1, 2] : (tensor<1x2x32x2x1xf32>) -> tensor<2x1x1x2x32xf32>
    %255 = stablehlo.transpose %254, dims = [1, 2, 3, 0, 4] : (tensor<2x1x1x2x32xf32>) -> tensor<1x1x2x2x32xf32>
    %256 = stablehlo.reshape %255 : (tensor<1x1x2x2x32xf32>) -> tensor<1x1x4x32xf32>
    %257 = stablehlo.reshape %256 : (tensor<1x1x4x32xf32>) -> tensor<1x4x32xf32>
    %258 = stablehlo.reshape %257 : (tensor<1x4x32xf32>) -> tensor<1x128xf32>
    %259 = stablehlo.dot_general %258, %arg14, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
    %260 = stablehlo.add %142, %259 : tensor<1x128xf32>
    %261 = stablehlo.multiply %260, %260 : tensor<1x128xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %262 = stablehlo.reduce(%261 init: %cst_49) applies stablehlo.add across dimensions = [1] : (tensor<1x128xf32>, tensor<f32>) -> tensor<1xf32>
    %263 = stablehlo.broadcast_in_dim %262, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_50 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %264 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %265 = stablehlo.divide %263, %264 : tensor<1x1xf32>
    %cst_51 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %266 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %267 = stablehlo.add %265, %266 : tensor<1x1xf32>
    %268 = stablehlo.rsqrt %267 : tensor<1x1xf32>
    %269 = stablehlo.broadcast_in_dim %268, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x128xf32>
    %270 = stablehlo.multiply %260, %269 : tensor<1x128xf32>
    %271 = stablehlo.broadcast_in_dim %arg15, dims = [1] : (tensor<128xf32>) -> tensor<1x128xf32>
    %272 = stablehlo.multiply %270, %271 : tensor<1x128xf32>
    %273 = stablehlo.dot_general %272, %arg16, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x320xf32>) -> tensor<1x320xf32>
    %274 = call @silu(%273) : (tensor<1x320xf32>) -> tensor<1x320xf32>
    %275 = stablehlo.dot_general %272, %arg17, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x320xf32>) -> tensor<1x320xf32>
    %276 = stablehlo.multiply %274, %275 : tensor<1x320xf32>
    %277 = stablehlo.dot_general %276, %arg18, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x320xf32>, tensor<320x128xf32>) -> tensor<1x128xf32>
    %278 = stablehlo.add %260, %277 : tensor<1x128xf32>
    %279 = stablehlo.multiply %278, %278 : tensor<1x128xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %280 = stablehlo.reduce(%279 init: %cst_52) applies stablehlo.add across dimensions = [1] : (tensor<1x128xf32>, tensor<f32>) -> tensor<1xf32>
    %281 = stablehlo.broadcast_in_dim %280, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_53 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %282 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %283 = stablehlo.divide %281, %282 : tensor<1x1xf32>
    %cst_54 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %284 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %285 = stablehlo.add %283, %284 : tensor<1x1xf32>
    %286 = stablehlo.rsqrt %285 : tensor<1x1xf32>
    %287 = stablehlo.broadcast_in_dim %286, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x128xf32>
    %288 = stablehlo.multiply %278, %287 : tensor<1x128xf32>
    %289 = stablehlo.broadcast_in_dim %arg19, dims = [1] : (tensor<128xf32>) -> tensor<1x128xf32>
    %290 = stablehlo.multiply %288, %289 : tensor<1x128xf32>
    %291 = stablehlo.broadcast_in_dim %arg58, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %292 = stablehlo.dot_general %290, %arg20, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
    %293 = stablehlo.reshape %292 : (tensor<1x128xf32>) -> tensor<1x4x32xf32>
    %294 = stablehlo.broadcast_in_dim %291, dims = [0] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %295 = stablehlo.iota dim = 0 : tensor<16xi32>
    %296 = stablehlo.convert %295 : (tensor<16xi32>) -> tensor<16xf32>
    %cst_55 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %297 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %298 = stablehlo.divide %296, %297 : tensor<16xf32>
    %cst_56 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %299 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %300 = stablehlo.power %299, %298 : tensor<16xf32>
    %301 = stablehlo.convert %294 : (tensor<1x1x1xi32>) -> tensor<1x1x1xf32>
    %302 = stablehlo.broadcast_in_dim %300, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %303 = stablehlo.broadcast_in_dim %301, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<1x1x16xf32>
    %304 = stablehlo.divide %303, %302 : tensor<1x1x16xf32>
    %305 = stablehlo.cosine %304 : tensor<1x1x16xf32>
    %306 = stablehlo.sine %304 : tensor<1x1x16xf32>
    %307 = stablehlo.slice %293 [0:1, 0:4, 0:16] : (tensor<1x4x32xf32>) -> tensor<1x4x16xf32>
    %308 = stablehlo.slice %293 [0:1, 0:4, 16:32] : (tensor<1x4x32xf32>) -> tensor<1x4x16xf32>
    %309 = stablehlo.broadcast_in_dim %305, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x4x16xf32>
    %310 = stablehlo.multiply %307, %309 : tensor<1x4x16xf32>
    %311 = stablehlo.broadcast_in_dim %306, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x4x16xf32>
    %312 = stablehlo.multiply %308, %311 : tensor<1x4x16xf32>
    %313 = stablehlo.subtract %310, %312 : tensor<1x4x16xf32>
    %314 = stablehlo.broadcast_in_dim %306, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x4x16xf32>
    %315 = stablehlo.multiply %307, %314 : tensor<1x4x16xf32>
    %316 = stablehlo.broadcast_in_dim %305, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x4x16xf32>
    %317 = stablehlo.multiply %308, %316 : tensor<1x4x16xf32>
    %318 = stablehlo.add %315, %317 : tensor<1x4x16xf32>
    %319 = stablehlo.concatenate %313, %318, dim = 2 : (tensor<1x4x16xf32>, tensor<1x4x16xf32>) -> tensor<1x4x32xf32>
    %320 = stablehlo.dot_general %290, %arg21, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x64xf32>) -> tensor<1x64xf32>
    %321 = stablehlo.reshape %320 : (tensor<1x64xf32>) -> tensor<1x2x32xf32>
    %322 = stablehlo.broadcast_in_dim %291, dims = [0] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %323 = stablehlo.iota dim = 0 : tensor<16xi32>
    %324 = stablehlo.convert %323 : (tensor<16xi32>) -> tensor<16xf32>
    %cst_57 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %325 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %326 = stablehlo.divide %324, %325 : tensor<16xf32>
    %cst_58 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %327 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %328 = stablehlo.power %327, %326 : tensor<16xf32>
    %329 = stablehlo.convert %322 : (tensor<1x1x1xi32>) -> tensor<1x1x1xf32>
    %330 = stablehlo.broadcast_in_dim %328, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %331 = stablehlo.broadcast_in_dim %329, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<1x1x16xf32>
    %332 = stablehlo.divide %331, %330 : tensor<1x1x16xf32>
    %333 = stablehlo.cosine %332 : tensor<1x1x16xf32>
    %334 = stablehlo.sine %332 : tensor<1x1x16xf32>
    %335 = stablehlo.slice %321 [0:1, 0:2, 0:16] : (tensor<1x2x32xf32>) -> tensor<1x2x16xf32>
    %336 = stablehlo.slice %321 [0:1, 0:2, 16:32] : (tensor<1x2x32xf32>) -> tensor<1x2x16xf32>
    %337 = stablehlo.broadcast_in_dim %333, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x2x16xf32>
    %338 = stablehlo.multiply %335, %337 : tensor<1x2x16xf32>
    %339 = stablehlo.broadcast_in_dim %334, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x2x16xf32>
    %340 = stablehlo.multiply %336, %339 : tensor<1x2x16xf32>
    %341 = stablehlo.subtract %338, %340 : tensor<1x2x16xf32>
    %342 = stablehlo.broadcast_in_dim %334, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x2x16xf32>
    %343 = stablehlo.multiply %335, %342 : tensor<1x2x16xf32>
    %344 = stablehlo.broadcast_in_dim %333, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x2x16xf32>
    %345 = stablehlo.multiply %336, %344 : tensor<1x2x16xf32>
    %346 = stablehlo.add %343, %345 : tensor<1x2x16xf32>
    %347 = stablehlo.concatenate %341, %346, dim = 2 : (tensor<1x2x16xf32>, tensor<1x2x16xf32>) -> tensor<1x2x32xf32>
    %348 = stablehlo.dot_general %290, %arg22, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x64xf32>) -> tensor<1x64xf32>
    %349 = stablehlo.reshape %348 : (tensor<1x64xf32>) -> tensor<1x2x32xf32>
    %350 = stablehlo.broadcast_in_dim %347, dims = [0, 2, 3] : (tensor<1x2x32xf32>) -> tensor<1x1x2x32xf32>
    %c_59 = stablehlo.constant dense<0> : tensor<i32>
    %351 = stablehlo.compare LT, %arg58, %c_59, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_60 = stablehlo.constant dense<256> : tensor<i32>
    %352 = stablehlo.add %arg58, %c_60 : tensor<i32>
    %353 = stablehlo.select %351, %352, %arg58 : tensor<i1>, tensor<i32>
    %c_61 = stablehlo.constant dense<0> : tensor<i32>
    %c_62 = stablehlo.constant dense<0> : tensor<i32>
    %c_63 = stablehlo.constant dense<0> : tensor<i32>
    %354 = stablehlo.dynamic_update_slice %arg52, %350, %c_61, %353, %c_62, %c_63 : (tensor<1x256x2x32xf32>, tensor<1x1x2x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x2x32xf32>
    %355 = stablehlo.broadcast_in_dim %349, dims = [0, 2, 3] : (tensor<1x2x32xf32>) -> tensor<1x1x2x32xf32>
    %c_64 = stablehlo.constant dense<0> : tensor<i32>
    %356 = stablehlo.compare LT, %arg58, %c_64, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_65 = stablehlo.constant dense<256> : tensor<i32>
    %357 = stablehlo.add %arg58, %c_65 : tensor<i32>
    %358 = stablehlo.select %356, %357, %arg58 : tensor<i1>, tensor<i32>
    %c_66 = stablehlo.constant dense<0> : tensor<i32>
    %c_67 = stablehlo.constant dense<0> : tensor<i32>
    %c_68 = stablehlo.constant dense<0> : tensor<i32>
    %359 = stablehlo.dynamic_update_slice %arg53, %355, %c_66, %358, %c_67, %c_68 : (tensor<1x256x2x32xf32>, tensor<1x1x2x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x2x32xf32>
    %360 = stablehlo.iota dim = 0 : tensor<256xi32>
    %361 = stablehlo.broadcast_in_dim %arg58, dims = [] : (tensor<i32>) -> tensor<256xi32>
    %362 = stablehlo.compare LE, %360, %361, SIGNED : (tensor<256xi32>, tensor<256xi32>) -> tensor<256xi1>
    %363 = stablehlo.broadcast_in_dim %362, dims = [3] : (tensor<256xi1>) -> tensor<1x1x1x256xi1>
    %364 = stablehlo.broadcast_in_dim %319, dims = [0, 2, 3] : (tensor<1x4x32xf32>) -> tensor<1x1x4x32xf32>
    %365 = stablehlo.reshape %364 : (tensor<1x1x4x32xf32>) -> tensor<1x1x2x2x32xf32>
    %366 = stablehlo.broadcast_in_dim %363, dims = [0, 1, 3, 4] : (tensor<1x1x1x256xi1>) -> tensor<1x1x1x1x256xi1>
    %367 = stablehlo.broadcast_in_dim %366, dims = [0, 1, 2, 3, 4] : (tensor<1x1x1x1x256xi1>) -> tensor<1x1x2x1x256xi1>
    %368 = stablehlo.dot_general %365, %354, batching_dims = [0, 2] x [0, 2], contracting_dims = [4] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x1x2x2x32xf32>, tensor<1x256x2x32xf32>) -> tensor<1x2x1x2x256xf32>
    %cst_69 = stablehlo.constant dense<0.176776692> : tensor<f32>
    %369 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<1x2x1x2x256xf32>
    %370 = stablehlo.multiply %368, %369 : tensor<1x2x1x2x256xf32>
    %c_70 = stablehlo.constant dense<true> : tensor<i1>
    %371 = stablehlo.broadcast_in_dim %c_70, dims = [] : (tensor<i1>) -> tensor<1x2x1x256xi1>
    %372 = stablehlo.broadcast_in_dim %371, dims = [1, 2, 3, 4] : (tensor<1x2x1x256xi1>) -> tensor<1x1x2x1x256xi1>
    %373 = stablehlo.transpose %367, dims = [2, 0, 1, 3, 4] : (tensor<1x1x2x1x256xi1>) -> tensor<2x1x1x1x256xi1>
    %374 = stablehlo.broadcast_in_dim %372, dims = [0, 1, 2, 3, 4] : (tensor<1x1x2x1x256xi1>) -> tensor<2x1x2x1x256xi1>
    %375 = stablehlo.broadcast_in_dim %373, dims = [0, 1, 2, 3, 4] : (tensor<2x1x1x1x256xi1>) -> tensor<2x1x2x1x256xi1>
    %376 = stablehlo.and %374, %375 : tensor<2x1x2x1x256xi1>
    %cst_71 = stablehlo.constant dense<-2.38197633E+38> : tensor<f32>
    %377 = call @_where(%376, %370, %cst_71) : (tensor<2x1x2x1x256xi1>, tensor<1x2x1x2x256xf32>, tensor<f32>) -> tensor<2x1x2x1x256xf32>
    %cst_72 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %378 = stablehlo.reduce(%377 init: %cst_72) applies stablehlo.maximum across dimensions = [4] : (tensor<2x1x2x1x256xf32>, tensor<f32>) -> tensor<2x1x2x1xf32>
    %cst_73 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %379 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<2x1x2x1xf32>
    %380 = stablehlo.maximum %379, %378 : tensor<2x1x2x1xf32>
    %381 = stablehlo.broadcast_in_dim %380, dims = [0, 1, 2, 3] : (tensor<2x1x2x1xf32>) -> tensor<2x1x2x1x1xf32>
    %382 = stablehlo.broadcast_in_dim %381, dims = [0, 1, 2, 3, 4] : (tensor<2x1x2x1x1xf32>) -> tensor<2x1x2x1x256xf32>
    %383 = stablehlo.subtract %377, %382 : tensor<2x1x2x1x256xf32>
    %384 = stablehlo.exponential %383 : tensor<2x1x2x1x256xf32>
    %cst_74 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %385 = stablehlo.reduce(%384 init: %cst_74) applies stablehlo.add across dimensions = [4] : (tensor<2x1x2x1x256xf32>, tensor<f32>) -> tensor<2x1x2x1xf32>
    %386 = stablehlo.broadcast_in_dim %385, dims = [0, 1, 2, 3] : (tensor<2x1x2x1xf32>) -> tensor<2x1x2x1x1xf32>
    %387 = stablehlo.broadcast_in_dim %386, dims = [0, 1, 2, 3, 4] : (tensor<2x1x2x1x1xf32>) -> tensor<2x1x2x1x256xf32>
    %388 = stablehlo.divide %384, %387 : tensor<2x1x2x1x256xf32>
    %389 = stablehlo.dot_general %359, %388, batching_dims = [0, 2] x [1, 2], contracting_dims = [1] x [4], precision = [DEFAULT, DEFAULT] : (tensor<1x256x2x32xf32>, tensor<2x1x2x1x256xf32>) -> tensor<1x2x32x2x1xf32>
    %390 = stablehlo.transpose %389, dims = [3, 0, 4, 1, 2] : (tensor<1x2x32x2x1xf32>) -> tensor<2x1x1x2x32xf32>
    %391 = stablehlo.transpose %390, dims = [1, 2, 3, 0, 4] : (tensor<2x1x1x2x32xf32>) -> tensor<1x1x2x2x32xf32>
    %392 = stablehlo.reshape %391 : (tensor<1x1x2x2x32xf32>) -> tensor<1x1x4x32xf32>
    %393 = stablehlo.reshape %392 : (tensor<1x1x4x32xf32>) -> tensor<1x4x32xf32>
    %394 = stablehlo.reshape %393 : (tensor<1x4x32xf32>) -> tensor<1x128xf32>
    %395 = stablehlo.dot_general %394, %arg23, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
    %396 = stablehlo.add %278, %395 : tensor<1x128xf32>
    %397 = stablehlo.multiply %396, %396 : tensor<1x128xf32>
    %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %398 = stablehlo.reduce(%397 init: %cst_75) applies stablehlo.add across dimensions = [1] : (tensor<1x128xf32>, tensor<f32>) -> tensor<1xf32>
    %399 = stablehlo.broadcast_in_dim %398, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_76 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %400 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %401 = stablehlo.divide %399, %400 : tensor<1x1xf32>
    %cst_77 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %402 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %403 = stablehlo.add %401, %402 : tensor<1x1xf32>
    %404 = stablehlo.rsqrt %403 : tensor<1x1xf32>
    %405 = stablehlo.broadcast_in_dim %404, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x128xf32>
    %406 = stablehlo.multiply %396, %405 : tensor<1x128xf32>
    %407 = stablehlo.broadcast_in_dim %arg24, dims = [1] : (tensor<128xf32>) -> tensor<1x128xf32>
    %408 = stablehlo.multiply %406, %407 : tensor<1x128xf32>
    %409 = stablehlo.dot_general %408, %arg25, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x320xf32>) -> tensor<1x320xf32>
    %410 = call @silu(%409) : (tensor<1x320xf32>) -> tensor<1x320xf32>
    %411 = stablehlo.dot_general %408, %arg26, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x320xf32>) -> tensor<1x320xf32>
    %412 = stablehlo.multiply %410, %411 : tensor<1x320xf32>
    %413 = stablehlo.dot_general %412, %arg27, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x320xf32>, tensor<320x128xf32>) -> tensor<1x128xf32>
    %414 = stablehlo.add %396, %413 : tensor<1x128xf32>
    %415 = stablehlo.multiply %414, %414 : tensor<1x128xf32>
    %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %416 = stablehlo.reduce(%415 init: %cst_78) applies stablehlo.add across dimensions = [1] : (tensor<1x128xf32>, tensor<f32>) -> tensor<1xf32>
    %417 = stablehlo.broadcast_in_dim %416, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_79 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %418 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %419 = stablehlo.divide %417, %418 : tensor<1x1xf32>
    %cst_80 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %420 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %421 = stablehlo.add %419, %420 : tensor<1x1xf32>
    %422 = stablehlo.rsqrt %421 : tensor<1x1xf32>
    %423 = stablehlo.broadcast_in_dim %422, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x128xf32>
    %424 = stablehlo.multiply %414, %423 : tensor<1x128xf32>
    %425 = stablehlo.broadcast_in_dim %arg28, dims = [1] : (tensor<128xf32>) -> tensor<1x128xf32>
    %426 = stablehlo.multiply %424, %425 : tensor<1x128xf32>
    %427 = stablehlo.broadcast_in_dim %arg58, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %428 = stablehlo.dot_general %426, %arg29, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
    %429 = stablehlo.reshape %428 : (tensor<1x128xf32>) -> tensor<1x4x32xf32>
    %430 = stablehlo.broadcast_in_dim %427, dims = [0] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %431 = stablehlo.iota dim = 0 : tensor<16xi32>
    %432 = stablehlo.convert %431 : (tensor<16xi32>) -> tensor<16xf32>
    %cst_81 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %433 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %434 = stablehlo.divide %432, %433 : tensor<16xf32>
    %cst_82 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %435 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %436 = stablehlo.power %435, %434 : tensor<16xf32>
    %437 = stablehlo.convert %430 : (tensor<1x1x1xi32>) -> tensor<1x1x1xf32>
    %438 = stablehlo.broadcast_in_dim %436, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %439 = stablehlo.broadcast_in_dim %437, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<1x1x16xf32>
    %440 = stablehlo.divide %439, %438 : tensor<1x1x16xf32>
    %441 = stablehlo.cosine %440 : tensor<1x1x16xf32>
    %442 = stablehlo.sine %440 : tensor<1x1x16xf32>
    %443 = stablehlo.slice %429 [0:1, 0:4, 0:16] : (tensor<1x4x32xf32>) -> tensor<1x4x16xf32>
    %444 = stablehlo.slice %429 [0:1, 0:4, 16:32] : (tensor<1x4x32xf32>) -> tensor<1x4x16xf32>
    %445 = stablehlo.broadcast_in_dim %441, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x4x16xf32>
    %446 = stablehlo.multiply %443, %445 : tensor<1x4x16xf32>
    %447 = stablehlo.broadcast_in_dim %442, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x4x16xf32>
    %448 = stablehlo.multiply %444, %447 : tensor<1x4x16xf32>
    %449 = stablehlo.subtract %446, %448 : tensor<1x4x16xf32>
    %450 = stablehlo.broadcast_in_dim %442, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x4x16xf32>
    %451 = stablehlo.multiply %443, %450 : tensor<1x4x16xf32>
    %452 = stablehlo.broadcast_in_dim %441, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x4x16xf32>
    %453 = stablehlo.multiply %444, %452 : tensor<1x4x16xf32>
    %454 = stablehlo.add %451, %453 : tensor<1x4x16xf32>
    %455 = stablehlo.concatenate %449, %454, dim = 2 : (tensor<1x4x16xf32>, tensor<1x4x16xf32>) -> tensor<1x4x32xf32>
    %456 = stablehlo.dot_general %426, %arg30, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x64xf32>) -> tensor<1x64xf32>
    %457 = stablehlo.reshape %456 : (tensor<1x64xf32>) -> tensor<1x2x32xf32>
    %458 = stablehlo.broadcast_in_dim %427, dims = [0] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %459 = stablehlo.iota dim = 0 : tensor<16xi32>
    %460 = stablehlo.convert %459 : (tensor<16xi32>) -> tensor<16xf32>
    %cst_83 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %461 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %462 = stablehlo.divide %460, %461 : tensor<16xf32>
    %cst_84 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %463 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %464 = stablehlo.power %463, %462 : tensor<16xf32>
    %465 = stablehlo.convert %458 : (tensor<1x1x1xi32>) -> tensor<1x1x1xf32>
    %466 = stablehlo.broadcast_in_dim %464, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %467 = stablehlo.broadcast_in_dim %465, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<1x1x16xf32>
    %468 = stablehlo.divide %467, %466 : tensor<1x1x16xf32>
    %469 = stablehlo.cosine %468 : tensor<1x1x16xf32>
    %470 = stablehlo.sine %468 : tensor<1x1x16xf32>
    %471 = stablehlo.slice %457 [0:1, 0:2, 0:16] : (tensor<1x2x32xf32>) -> tensor<1x2x16xf32>
    %472 = stablehlo.slice %457 [0:1, 0:2, 16:32] : (tensor<1x2x32xf32>) -> tensor<1x2x16xf32>
    %473 = stablehlo.broadcast_in_dim %469, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x2x16xf32>
    %474 = stablehlo.multiply %471, %473 : tensor<1x2x16xf32>
    %475 = stablehlo.broadcast_in_dim %470, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x2x16xf32>
    %476 = stablehlo.multiply %472, %475 : tensor<1x2x16xf32>
    %477 = stablehlo.subtract %474, %476 : tensor<1x2x16xf32>
    %478 = stablehlo.broadcast_in_dim %470, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x2x16xf32>
    %479 = stablehlo.multiply %471, %478 : tensor<1x2x16xf32>
    %480 = stablehlo.broadcast_in_dim %469, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x2x16xf32>
    %481 = stablehlo.multiply %472, %480 : tensor<1x2x16xf32>
    %482 = stablehlo.add %479, %481 : tensor<1x2x16xf32>
    %483 = stablehlo.concatenate %477, %482, dim = 2 : (tensor<1x2x16xf32>, tensor<1x2x16xf32>) -> tensor<1x2x32xf32>
    %484 = stablehlo.dot_general %426, %arg31, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x64xf32>) -> tensor<1x64xf32>
    %485 = stablehlo.reshape %484 : (tensor<1x64xf32>) -> tensor<1x2x32xf32>
    %486 = stablehlo.broadcast_in_dim %483, dims = [0, 2, 3] : (tensor<1x2x32xf32>) -> tensor<1x1x2x32xf32>
    %c_85 = stablehlo.constant dense<0> : tensor<i32>
    %487 = stablehlo.compare LT, %arg58, %c_85, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_86 = stablehlo.constant dense<256> : tensor<i32>
    %488 = stablehlo.add %arg58, %c_86 : tensor<i32>
    %489 = stablehlo.select %487, %488, %arg58 : tensor<i1>, tensor<i32>
    %c_87 = stablehlo.constant dense<0> : tensor<i32>
    %c_88 = stablehlo.constant dense<0> : tensor<i32>
    %c_89 = stablehlo.constant dense<0> : tensor<i32>
    %490 = stablehlo.dynamic_update_slice %arg54, %486, %c_87, %489, %c_88, %c_89 : (tensor<1x256x2x32xf32>, tensor<1x1x2x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x2x32xf32>
    %491 = stablehlo.broadcast_in_dim %485, dims = [0, 2, 3] : (tensor<1x2x32xf32>) -> tensor<1x1x2x32xf32>
    %c_90 = stablehlo.constant dense<0> : tensor<i32>
    %492 = stablehlo.compare LT, %arg58, %c_90, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_91 = stablehlo.constant dense<256> : tensor<i32>
    %493 = stablehlo.add %arg58, %c_91 : tensor<i32>
    %494 = stablehlo.select %492, %493, %arg58 : tensor<i1>, tensor<i32>
    %c_92 = stablehlo.constant dense<0> : tensor<i32>
    %c_93 = stablehlo.constant dense<0> : tensor<i32>
    %c_94 = stablehlo.constant dense<0> : tensor<i32>
    %495 = stablehlo.dynamic_update_slice %arg55, %491, %c_92, %494, %c_93, %c_94 : (tensor<1x256x2x32xf32>, tensor<1x1x2x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x2x32xf32>
    %496 = stablehlo.iota dim = 0 : tensor<256xi32>
    %497 = stablehlo.broadcast_in_dim %arg58, dims = [] : (tensor<i32>) -> tensor<256xi32>
    %498 = stablehlo.compare LE, %496, %497, SIGNED : (tensor<256xi32>, tensor<256xi32>) -> tensor<256xi1>
    %499 = stablehlo.broadcast_in_dim %498, dims = [3] : (tensor<256xi1>) -> tensor<1x1x1x256xi1>
    %500 = stablehlo.broadcast_in_dim %455, dims = [0, 2, 3] : (tensor<1x4x32xf32>) -> tensor<1x1x4x32xf32>
    %501 = stablehlo.reshape %500 : (tensor<1x1x4x32xf32>) -> tensor<1x1x2x2x32xf32>
    %502 = stablehlo.broadcast_in_dim %499, dims = [0, 1, 3, 4] : (tensor<1x1x1x256xi1>) -> tensor<1x1x1x1x256xi1>
    %503 = stablehlo.broadcast_in_dim %502, dims = [0, 1, 2, 3, 4] : (tensor<1x1x1x1x256xi1>) -> tensor<1x1x2x1x256xi1>
    %504 = stablehlo.dot_general %501, %490, batching_dims = [0, 2] x [0, 2], contracting_dims = [4] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x1x2x2x32xf32>, tensor<1x256x2x32xf32>) -> tensor<1x2x1x2x256xf32>
    %cst_95 = stablehlo.constant dense<0.176776692> : tensor<f32>
    %505 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<1x2x1x2x256xf32>
    %506 = stablehlo.multiply %504, %505 : tensor<1x2x1x2x256xf32>
    %c_96 = stablehlo.constant dense<true> : tensor<i1>
    %507 = stablehlo.broadcast_in_dim %c_96, dims = [] : (tensor<i1>) -> tensor<1x2x1x256xi1>
    %508 = stablehlo.broadcast_in_dim %507, dims = [1, 2, 3, 4] : (tensor<1x2x1x256xi1>) -> tensor<1x1x2x1x256xi1>
    %509 = stablehlo.transpose %503, dims = [2, 0, 1, 3, 4] : (tensor<1x1x2x1x256xi1>) -> tensor<2x1x1x1x256xi1>
    %510 = stablehlo.broadcast_in_dim %508, dims = [0, 1, 2, 3, 4] : (tensor<1x1x2x1x256xi1>) -> tensor<2x1x2x1x256xi1>
    %511 = stablehlo.broadcast_in_dim %509, dims = [0, 1, 2, 3, 4] : (tensor<2x1x1x1x256xi1>) -> tensor<2x1x2x1x256xi1>
    %512 = stablehlo.and %510, %511 : tensor<2x1x2x1x256xi1>
    %cst_97 = stablehlo.constant dense<-2.38197633E+38> : tensor<f32>
    %513 = call @_where(%512, %506, %cst_97) : (tensor<2x1x2x1x256xi1>, tensor<1x2x1x2x256xf32>, tensor<f32>) -> tensor<2x1x2x1x256xf32>
    %cst_98 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %514 = stablehlo.reduce(%513 init: %cst_98) applies stablehlo.maximum across dimensions = [4] : (tensor<2x1x2x1x256xf32>, tensor<f32>) -> tensor<2x1x2x1xf32>
    %cst_99 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %515 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<2x1x2x1xf32>
    %516 = stablehlo.maximum %515, %514 : tensor<2x1x2x1xf32>
    %517 = stablehlo.broadcast_in_dim %516, dims = [0, 1, 2, 3] : (tensor<2x1x2x1xf32>) -> tensor<2x1x2x1x1xf32>
    %518 = stablehlo.broadcast_in_dim %517, dims = [0, 1, 2, 3, 4] : (tensor<2x1x2x1x1xf32>) -> tensor<2x1x2x1x256xf32>
    %519 = stablehlo.subtract %513, %518 : tensor<2x1x2x1x256xf32>
    %520 = stablehlo.exponential %519 : tensor<2x1x2x1x256xf32>
    %cst_100 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %521 = stablehlo.reduce(%520 init: %cst_100) applies stablehlo.add across dimensions = [4] : (tensor<2x1x2x1x256xf32>, tensor<f32>) -> tensor<2x1x2x1xf32>
    %522 = stablehlo.broadcast_in_dim %521, dims = [0, 1, 2, 3] : (tensor<2x1x2x1xf32>) -> tensor<2x1x2x1x1xf32>
    %523 = stablehlo.broadcast_in_dim %522, dims = [0, 1, 2, 3, 4] : (tensor<2x1x2x1x1xf32>) -> tensor<2x1x2x1x256xf32>
    %524 = stablehlo.divide %520, %523 : tensor<2x1x2x1x256xf32>
    %525 = stablehlo.dot_general %495, %524, batching_dims = [0, 2] x [1, 2], contracting_dims = [1] x [4], precision = [DEFAULT, DEFAULT] : (tensor<1x256x2x32xf32>, tensor<2x1x2x1x256xf32>) -> tensor<1x2x32x2x1xf32>
    %526 = stablehlo.transpose %525, dims = [3, 0, 4, 1, 2] : (tensor<1x2x32x2x1xf32>) -> tensor<2x1x1x2x32xf32>
    %527 = stablehlo.transpose %526, dims = [1, 2, 3, 0, 4] : (tensor<2x1x1x2x32xf32>) -> tensor<1x1x2x2x32xf32>
    %528 = stablehlo.reshape %527 : (tensor<1x1x2x2x32xf32>) -> tensor<1x1x4x32xf32>
    %529 = stablehlo.reshape %528 : (tensor<1x1x4x32xf32>) -> tensor<1x4x32xf32>
    %530 = stablehlo.reshape %529 : (tensor<1x4x32xf32>) -> tensor<1x128xf32>
    %531 = stablehlo.dot_general %530, %arg32, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
    %532 = stablehlo.add %414, %531 : tensor<1x128xf32>
    %533 = stablehlo.multiply %532, %532 : tensor<1x128xf32>
    %cst_101 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %534 = stablehlo.reduce(%533 init: %cst_101) applies stablehlo.add across dimensions = [1] : (tensor<1x128xf32>, tensor<f32>) -> tensor<1xf32>
    %535 = stablehlo.broadcast_in_dim %534, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_102 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %536 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %537 = stablehlo.divide %535, %536 : tensor<1x1xf32>
    %cst_103 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %538 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %539 = stablehlo.add %537, %538 : tensor<1x1xf32>
    %540 = stablehlo.rsqrt %539 : tensor<1x1xf32>
    %541 = stablehlo.broadcast_in_dim %540, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x128xf32>
    %542 = stablehlo.multiply %532, %541 : tensor<1x128xf32>
    %543 = stablehlo.broadcast_in_dim %arg33, dims = [1] : (tensor<128xf32>) -> tensor<1x128xf32>
    %544 = stablehlo.multiply %542, %543 : tensor<1x128xf32>
    %545 = stablehlo.dot_general %544, %arg34, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x320xf32>) -> tensor<1x320xf32>
    %546 = call @silu(%545) : (tensor<1x320xf32>) -> tensor<1x320xf32>
    %547 = stablehlo.dot_general %544, %arg35, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x320xf32>) -> tensor<1x320xf32>
    %548 = stablehlo.multiply %546, %547 : tensor<1x320xf32>
    %549 = stablehlo.dot_general %548, %arg36, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x320xf32>, tensor<320x128xf32>) -> tensor<1x128xf32>
    %550 = stablehlo.add %532, %549 : tensor<1x128xf32>
    %551 = stablehlo.multiply %550, %550 : tensor<1x128xf32>
    %cst_104 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %552 = stablehlo.reduce(%551 init: %cst_104) applies stablehlo.add across dimensions = [1] : (tensor<1x128xf32>, tensor<f32>) -> tensor<1xf32>
    %553 = stablehlo.broadcast_in_dim %552, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_105 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %554 = stablehlo.broadcast_in_dim %cst_105, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %555 = stablehlo.divide %553, %554 : tensor<1x1xf32>
    %cst_106 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %556 = stablehlo.broadcast_in_dim %cst_106, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %557 = stablehlo.add %555, %556 : tensor<1x1xf32>
    %558 = stablehlo.rsqrt %557 : tensor<1x1xf32>
    %559 = stablehlo.broadcast_in_dim %558, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x128xf32>
    %560 = stablehlo.multiply %550, %559 : tensor<1x128xf32>
    %561 = stablehlo.broadcast_in_dim %arg37, dims = [1] : (tensor<128xf32>) -> tensor<1x128xf32>
    %562 = stablehlo.multiply %560, %561 : tensor<1x128xf32>
    %563 = stablehlo.broadcast_in_dim %arg58, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %564 = stablehlo.dot_general %562, %arg38, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
    %565 = stablehlo.reshape %564 : (tensor<1x128xf32>) -> tensor<1x4x32xf32>
    %566 = stablehlo.broadcast_in_dim %563, dims = [0] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %567 = stablehlo.iota dim = 0 : tensor<16xi32>
    %568 = stablehlo.convert %567 : (tensor<16xi32>) -> tensor<16xf32>
    %cst_107 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %569 = stablehlo.broadcast_in_dim %cst_107, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %570 = stablehlo.divide %568, %569 : tensor<16xf32>
    %cst_108 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %571 = stablehlo.broadcast_in_dim %cst_108, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %572 = stablehlo.power %571, %570 : tensor<16xf32>
    %573 = stablehlo.convert %566 : (tensor<1x1x1xi32>) -> tensor<1x1x1xf32>
    %574 = stablehlo.broadcast_in_dim %572, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %575 = stablehlo.broadcast_in_dim %573, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<1x1x16xf32>
    %576 = stablehlo.divide %575, %574 : tensor<1x1x16xf32>
    %577 = stablehlo.cosine %576 : tensor<1x1x16xf32>
    %578 = stablehlo.sine %576 : tensor<1x1x16xf32>
    %579 = stablehlo.slice %565 [0:1, 0:4, 0:16] : (tensor<1x4x32xf32>) -> tensor<1x4x16xf32>
    %580 = stablehlo.slice %565 [0:1, 0:4, 16:32] : (tensor<1x4x32xf32>) -> tensor<1x4x16xf32>
    %581 = stablehlo.broadcast_in_dim %577, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x4x16xf32>
    %582 = stablehlo.multiply %579, %581 : tensor<1x4x16xf32>
    %583 = stablehlo.broadcast_in_dim %578, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x4x16xf32>
    %584 = stablehlo.multiply %580, %583 : tensor<1x4x16xf32>
    %585 = stablehlo.subtract %582, %584 : tensor<1x4x16xf32>
    %586 = stablehlo.broadcast_in_dim %578, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x4x16xf32>
    %587 = stablehlo.multiply %579, %586 : tensor<1x4x16xf32>
    %588 = stablehlo.broadcast_in_dim %577, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x4x16xf32>
    %589 = stablehlo.multiply %580, %588 : tensor<1x4x16xf32>
    %590 = stablehlo.add %587, %589 : tensor<1x4x16xf32>
    %591 = stablehlo.concatenate %585, %590, dim = 2 : (tensor<1x4x16xf32>, tensor<1x4x16xf32>) -> tensor<1x4x32xf32>
    %592 = stablehlo.dot_general %562, %arg39, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x64xf32>) -> tensor<1x64xf32>
    %593 = stablehlo.reshape %592 : (tensor<1x64xf32>) -> tensor<1x2x32xf32>
    %594 = stablehlo.broadcast_in_dim %563, dims = [0] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %595 = stablehlo.iota dim = 0 : tensor<16xi32>
    %596 = stablehlo.convert %595 : (tensor<16xi32>) -> tensor<16xf32>
    %cst_109 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %597 = stablehlo.broadcast_in_dim %cst_109, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %598 = stablehlo.divide %596, %597 : tensor<16xf32>
    %cst_110 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %599 = stablehlo.broadcast_in_dim %cst_110, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %600 = stablehlo.power %599, %598 : tensor<16xf32>
    %601 = stablehlo.convert %594 : (tensor<1x1x1xi32>) -> tensor<1x1x1xf32>
    %602 = stablehlo.broadcast_in_dim %600, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %603 = stablehlo.broadcast_in_dim %601, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<1x1x16xf32>
    %604 = stablehlo.divide %603, %602 : tensor<1x1x16xf32>
    %605 = stablehlo.cosine %604 : tensor<1x1x16xf32>
    %606 = stablehlo.sine %604 : tensor<1x1x16xf32>
    %607 = stablehlo.slice %593 [0:1, 0:2, 0:16] : (tensor<1x2x32xf32>) -> tensor<1x2x16xf32>
    %608 = stablehlo.slice %593 [0:1, 0:2, 16:32] : (tensor<1x2x32xf32>) -> tensor<1x2x16xf32>
    %609 = stablehlo.broadcast_in_dim %605, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x2x16xf32>
    %610 = stablehlo.multiply %607, %609 : tensor<1x2x16xf32>
    %611 = stablehlo.broadcast_in_dim %606, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x2x16xf32>
    %612 = stablehlo.multiply %608, %611 : tensor<1x2x16xf32>
    %613 = stablehlo.subtract %610, %612 : tensor<1x2x16xf32>
    %614 = stablehlo.broadcast_in_dim %606, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x2x16xf32>
    %615 = stablehlo.multiply %607, %614 : tensor<1x2x16xf32>
    %616 = stablehlo.broadcast_in_dim %605, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x2x16xf32>
    %617 = stablehlo.multiply %608, %616 : tensor<1x2x16xf32>
    %618 = stablehlo.add %615, %617 : tensor<1x2x16xf32>
    %619 = stablehlo.concatenate %613, %618, dim = 2 : (tensor<1x2x16xf32>, tensor<1x2x16xf32>) -> tensor<1x2x32xf32>
    %620 = stablehlo.dot_general %562, %arg40, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x64xf32>) -> tensor<1x64xf32>
    %621 = stablehlo.reshape %620 : (tensor<1x64xf32>) -> tensor<1x2x32xf32>
    %622 = stablehlo.broadcast_in_dim %619, dims = [0, 2, 3] : (tensor<1x2x32xf32>) -> tensor<1x1x2x32xf32>
    %c_111 = stablehlo.constant dense<0> : tensor<i32>
    %623 = stablehlo.compare LT, %arg58, %c_111, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_112 = stablehlo.constant dense<256> : tensor<i32>
    %624 = stablehlo.add %arg58, %c_112 : tensor<i32>
    %625 = stablehlo.select %623, %624, %arg58 : tensor<i1>, tensor<i32>
    %c_113 = stablehlo.constant dense<0> : tensor<i32>
    %c_114 = stablehlo.constant dense<0> : tensor<i32>
    %c_115 = stablehlo.constant dense<0> : tensor<i32>
    %626 = stablehlo.dynamic_update_slice %arg56, %622, %c_113, %625, %c_114, %c_115 : (tensor<1x256x2x32xf32>, tensor<1x1x2x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x2x32xf32>
    %627 = stablehlo.broadcast_in_dim %621, dims = [0, 2, 3] : (tensor<1x2x32xf32>) -> tensor<1x1x2x32xf32>
    %c_116 = stablehlo.constant dense<0> : tensor<i32>
    %628 = stablehlo.compare LT, %arg58, %c_116, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_117 = stablehlo.constant dense<256> : tensor<i32>
    %629 = stablehlo.add %arg58, %c_117 : tensor<i32>
    %630 = stablehlo.select %628, %629, %arg58 : tensor<i1>, tensor<i32>
    %c_118 = stablehlo.constant dense<0> : tensor<i32>
    %c_119 = stablehlo.constant dense<0> : tensor<i32>
    %c_120 = stablehlo.constant dense<0> : tensor<i32>
    %631 = stablehlo.dynamic_update_slice %arg57, %627, %c_118, %630, %c_119, %c_120 : (tensor<1x256x2x32xf32>, tensor<1x1x2x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x2x32xf32>
    %632 = stablehlo.iota dim = 0 : tensor<256xi32>
    %633 = stablehlo.broadcast_in_dim %arg58, dims = [] : (tensor<i32>) -> tensor<256xi32>
    %634 = stablehlo.compare LE, %632, %633, SIGNED : (tensor<256xi32>, tensor<256xi32>) -> tensor<256xi1>
    %635 = stablehlo.broadcast_in_dim %634, dims = [3] : (tensor<256xi1>) -> tensor<1x1x1x256xi1>
    %636 = stablehlo.broadcast_in_dim %591, dims = [0, 2, 3] : (tensor<1x4x32xf32>) -> tensor<1x1x4x32xf32>
    %637 = stablehlo.reshape %636 : (tensor<1x1x4x32xf32>) -> tensor<1x1x2x2x32xf32>
    %638 = stablehlo.broadcast_in_dim %635, dims = [0, 1, 3, 4] : (tensor<1x1x1x256xi1>) -> tensor<1x1x1x1x256xi1>
    %639 = stablehlo.broadcast_in_dim %638, dims = [0, 1, 2, 3, 4] : (tensor<1x1x1x1x256xi1>) -> tensor<1x1x2x1x256xi1>
    %640 = stablehlo.dot_general %637, %626, batching_dims = [0, 2] x [0, 2], contracting_dims = [4] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x1x2x2x32xf32>, tensor<1x256x2x32xf32>) -> tensor<1x2x1x2x256xf32>
    %cst_121 = stablehlo.constant dense<0.176776692> : tensor<f32>
    %641 = stablehlo.broadcast_in_dim %cst_121, dims = [] : (tensor<f32>) -> tensor<1x2x1x2x256xf32>
    %642 = stablehlo.multiply %640, %641 : tensor<1x2x1x2x256xf32>
    %c_122 = stablehlo.constant dense<true> : tensor<i1>
    %643 = stablehlo.broadcast_in_dim %c_122, dims = [] : (tensor<i1>) -> tensor<1x2x1x256xi1>
    %644 = stablehlo.broadcast_in_dim %643, dims = [1, 2, 3, 4] : (tensor<1x2x1x256xi1>) -> tensor<1x1x2x1x256xi1>
    %645 = stablehlo.transpose %639, dims = [2, 0, 1, 3, 4] : (tensor<1x1x2x1x256xi1>) -> tensor<2x1x1x1x256xi1>
    %646 = stablehlo.broadcast_in_dim %644, dims = [0, 1, 2, 3, 4] : (tensor<1x1x2x1x256xi1>) -> tensor<2x1x2x1x256xi1>
    %647 = stablehlo.broadcast_in_dim %645, dims = [0, 1, 2, 3, 4] : (tensor<2x1x1x1x256xi1>) -> tensor<2x1x2x1x256xi1>
    %648 = stablehlo.and %646, %647 : tensor<2x1x2x1x256xi1>
    %cst_123 = stablehlo.constant dense<-2.38197633E+38> : tensor<f32>
    %649 = call @_where(%648, %642, %cst_123) : (tensor<2x1x2x1x256xi1>, tensor<1x2x1x2x256xf32>, tensor<f32>) -> tensor<2x1x2x1x256xf32>
    %cst_124 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %650 = stablehlo.reduce(%649 init: %cst_124) applies stablehlo.maximum across dimensions = [4] : (tensor<2x1x2x1x256xf32>, tensor<f32>) -> tensor<2x1x2x1xf32>
    %cst_125 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %651 = stablehlo.broadcast_in_dim %cst_125, dims = [] : (tensor<f32>) -> tensor<2x1x2x1xf32>
    %652 = stablehlo.maximum %651, %650 : tensor<2x1x2x1xf32>
    %653 = stablehlo.broadcast_in_dim %652, dims = [0, 1, 2, 3] : (tensor<2x1x2x1xf32>) -> tensor<2x1x2x1x1xf32>
    %654 = stablehlo.broadcast_in_dim %653, dims = [0, 1, 2, 3, 4] : (tensor<2x1x2x1x1xf32>) -> tensor<2x1x2x1x256xf32>
    %655 = stablehlo.subtract %649, %654 : tensor<2x1x2x1x256xf32>
    %656 = stablehlo.exponential %655 : tensor<2x1x2x1x256xf32>
    %cst_126 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %657 = stablehlo.reduce(%656 init: %cst_126) applies stablehlo.add across dimensions = [4] : (tensor<2x1x2x1x256xf32>, tensor<f32>) -> tensor<2x1x2x1xf32>
    %658 = stablehlo.broadcast_in_dim %657, dims = [0, 1, 2, 3] : (tensor<2x1x2x1xf32>) -> tensor<2x1x2x1x1xf32>
    %659 = stablehlo.broadcast_in_dim %658, dims = [0, 1, 2, 3, 4] : (tensor<2x1x2x1x1xf32>) -> tensor<2x1x2x1x256xf32>
    %660 = stablehlo.divide %656, %659 : tensor<2x1x2x1x256xf32>
    %661 = stablehlo.dot_general %631, %660, batching_dims = [0, 2] x [1, 2], contracting_dims = [1] x [4], precision = [DEFAULT, DEFAULT] : (tensor<1x256x2x32xf32>, tensor<2x1x2x1x256xf32>) -> tensor<1x2x32x2x1xf32>
    %662 = stablehlo.transpose %661, dims = [3, 0, 4, 1, 2] : (tensor<1x2x32x2x1xf32>) -> tensor<2x1x1x2x32xf32>
    %663 = stablehlo.transpose %662, dims = [1, 2, 3, 0, 4] : (tensor<2x1x1x2x32xf32>) -> tensor<1x1x2x2x32xf32>
    %664 = stablehlo.reshape %663 : (tensor<1x1x2x2x32xf32>) -> tensor<1x1x4x32xf32>
    %665 = stablehlo.reshape %664 : (tensor<1x1x4x32xf32>) -> tensor<1x4x32xf32>
    %666 = stablehlo.reshape %665 : (tensor<1x4x32xf32>) -> tensor<1x128xf32>
    %667 = stablehlo.dot_general %666, %arg41, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x128xf32>) -> tensor<1x128xf32>
    %668 = stablehlo.add %550, %667 : tensor<1x128xf32>
    %669 = stablehlo.multiply %668, %668 : tensor<1x128xf32>
    %cst_127 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %670 = stablehlo.reduce(%669 init: %cst_127) applies stablehlo.add across dimensions = [1] : (tensor<1x128xf32>, tensor<f32>) -> tensor<1xf32>
    %671 = stablehlo.broadcast_in_dim %670, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_128 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %672 = stablehlo.broadcast_in_dim %cst_128, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %673 = stablehlo.divide %671, %672 : tensor<1x1xf32>
    %cst_129 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %674 = stablehlo.broadcast_in_dim %cst_129, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %675 = stablehlo.add %673, %674 : tensor<1x1xf32>
    %676 = stablehlo.rsqrt %675 : tensor<1x1xf32>
    %677 = stablehlo.broadcast_in_dim %676, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x128xf32>
    %678 = stablehlo.multiply %668, %677 : tensor<1x128xf32>
    %679 = stablehlo.broadcast_in_dim %arg42, dims = [1] : (tensor<128xf32>) -> tensor<1x128xf32>
    %680 = stablehlo.multiply %678, %679 : tensor<1x128xf32>
    %681 = stablehlo.dot_general %680, %arg43, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x320xf32>) -> tensor<1x320xf32>
    %682 = call @silu(%681) : (tensor<1x320xf32>) -> tensor<1x320xf32>
    %683 = stablehlo.dot_general %680, %arg44, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x320xf32>) -> tensor<1x320xf32>
    %684 = stablehlo.multiply %682, %683 : tensor<1x320xf32>
    %685 = stablehlo.dot_general %684, %arg45, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x320xf32>, tensor<320x128xf32>) -> tensor<1x128xf32>
    %686 = stablehlo.add %668, %685 : tensor<1x128xf32>
    %687 = stablehlo.multiply %686, %686 : tensor<1x128xf32>
    %cst_130 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %688 = stablehlo.reduce(%687 init: %cst_130) applies stablehlo.add across dimensions = [1] : (tensor<1x128xf32>, tensor<f32>) -> tensor<1xf32>
    %689 = stablehlo.broadcast_in_dim %688, dims = [0] : (tensor<1xf32>) -> tensor<1x1xf32>
    %cst_131 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %690 = stablehlo.broadcast_in_dim %cst_131, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %691 = stablehlo.divide %689, %690 : tensor<1x1xf32>
    %cst_132 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %692 = stablehlo.broadcast_in_dim %cst_132, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %693 = stablehlo.add %691, %692 : tensor<1x1xf32>
    %694 = stablehlo.rsqrt %693 : tensor<1x1xf32>
    %695 = stablehlo.broadcast_in_dim %694, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x128xf32>
    %696 = stablehlo.multiply %686, %695 : tensor<1x128xf32>
    %697 = stablehlo.broadcast_in_dim %arg46, dims = [1] : (tensor<128xf32>) -> tensor<1x128xf32>
    %698 = stablehlo.multiply %696, %697 : tensor<1x128xf32>
    %699 = stablehlo.dot_general %698, %arg47, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x128xf32>, tensor<128x512xf32>) -> tensor<1x512xf32>
    %700 = call @argmax(%699) : (tensor<1x512xf32>) -> tensor<1xi32>
    return %700, %699, %82, %87, %218, %223, %354, %359, %490, %495, %626, %631 : tensor<1xi32>, tensor<1x512xf32>, tensor<1x256x2x32xf32>, tensor<1x256x2x32xf32>, tensor<1x256x2x32xf32>, tensor<1x256x2x32xf32>, tensor<1x256x2x32xf32>, tensor<1x256x2x32xf32>, tensor<1x256x2x32xf32>, tensor<1x256x2x32xf32>, tensor<1x256x2x32xf32>, tensor<1x256x2x32xf32>
  }
  func.func private @_where(%arg0: tensor<2x1x2x1x256xi1>, %arg1: tensor<1x2x1x2x256xf32>, %arg2: tensor<f32>) -> tensor<2x1x2x1x256xf32> {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<1x2x1x256xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1, 2, 3, 4] : (tensor<1x2x1x256xf32>) -> tensor<2x1x2x1x256xf32>
    %2 = stablehlo.transpose %arg1, dims = [3, 0, 1, 2, 4] : (tensor<1x2x1x2x256xf32>) -> tensor<2x1x2x1x256xf32>
    %3 = stablehlo.select %arg0, %2, %1 : tensor<2x1x2x1x256xi1>, tensor<2x1x2x1x256xf32>
    return %3 : tensor<2x1x2x1x256xf32>
  }
  func.func private @silu(%arg0: tensor<1x320xf32>) -> tensor<1x320xf32> {
    %0 = stablehlo.negate %arg0 : tensor<1x320xf32>
    %1 = stablehlo.exponential %0 : tensor<1x320xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x320xf32>
    %3 = stablehlo.add %2, %1 : tensor<1x320xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x320xf32>
    %5 = stablehlo.divide %4, %3 : tensor<1x320xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<1x320xf32>
    return %6 : tensor<1x320xf32>
  }
  func.func private @argmax(%arg0: tensor<1x512xf32>) -> tensor<1xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<1x512xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<1x512xf32>, tensor<1x512xi32>, tensor<f32>, tensor<i32>) -> (tensor<1xf32>, tensor<1xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<1xi32>
  }
}
