module @jit_train_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<64x96xf32>, %arg1: tensor<64x80xf32>, %arg2: tensor<96x160xf32>, %arg3: tensor<160xf32>, %arg4: tensor<160x80xf32>, %arg5: tensor<80xf32>, %arg6: tensor<4xf32>, %arg7: tensor<4xf32>, %arg8: tensor<4xf32>, %arg9: tensor<4xf32>, %arg10: tensor<4xf32>, %arg11: tensor<4xf32>, %arg12: tensor<f32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<64x96xf32> {jax.result_info = "result[1]"}, tensor<96x160xf32> {jax.result_info = "result[2]"}, tensor<160xf32> {jax.result_info = "result[3]"}, tensor<160x80xf32> {jax.result_info = "result[4]"}, tensor<80xf32> {jax.result_info = "result[5]"}, tensor<4xf32> {jax.result_info = "result[6]['dy']"}, tensor<4xf32> {jax.result_info = "result[6]['dz']"}, tensor<4xf32> {jax.result_info = "result[6]['h']"}, tensor<4xf32> {jax.result_info = "result[6]['w1']"}, tensor<4xf32> {jax.result_info = "result[6]['w2']"}, tensor<4xf32> {jax.result_info = "result[6]['x']"}) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg11 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.compare GT, %0, %cst_0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_1 = stablehlo.constant dense<4.480000e+02> : tensor<f32>
    %2 = stablehlo.divide %cst_1, %0 : tensor<f32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = call @_where(%1, %2, %cst_2) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = stablehlo.reduce(%arg9 init: %cst_3) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.compare GT, %4, %cst_4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_5 = stablehlo.constant dense<4.480000e+02> : tensor<f32>
    %6 = stablehlo.divide %cst_5, %4 : tensor<f32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %7 = call @_where(%5, %6, %cst_6) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %8 = stablehlo.reduce(%arg8 init: %cst_7) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.compare GT, %8, %cst_8, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_9 = stablehlo.constant dense<4.480000e+02> : tensor<f32>
    %10 = stablehlo.divide %cst_9, %8 : tensor<f32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = call @_where(%9, %10, %cst_10) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %cst_11 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %12 = stablehlo.reduce(%arg10 init: %cst_11) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.compare GT, %12, %cst_12, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_13 = stablehlo.constant dense<4.480000e+02> : tensor<f32>
    %14 = stablehlo.divide %cst_13, %12 : tensor<f32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = call @_where(%13, %14, %cst_14) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %cst_15 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %16 = stablehlo.reduce(%arg6 init: %cst_15) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.compare GT, %16, %cst_16, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_17 = stablehlo.constant dense<5.734400e+04> : tensor<f32>
    %18 = stablehlo.divide %cst_17, %16 : tensor<f32>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %19 = call @_where(%17, %18, %cst_18) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %cst_19 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %20 = stablehlo.reduce(%arg7 init: %cst_19) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.compare GT, %20, %cst_20, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_21 = stablehlo.constant dense<5.734400e+04> : tensor<f32>
    %22 = stablehlo.divide %cst_21, %20 : tensor<f32>
    %cst_22 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %23 = call @_where(%21, %22, %cst_22) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %24 = stablehlo.abs %arg0 : tensor<64x96xf32>
    %cst_23 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %25 = stablehlo.reduce(%24 init: %cst_23) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<64x96xf32>, tensor<f32>) -> tensor<f32>
    %26 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<64x96xf32>
    %27 = stablehlo.multiply %arg0, %26 : tensor<64x96xf32>
    %cst_24 = stablehlo.constant dense<4.480000e+02> : tensor<f32>
    %28 = stablehlo.negate %cst_24 : tensor<f32>
    %cst_25 = stablehlo.constant dense<4.480000e+02> : tensor<f32>
    %29 = call @clip(%27, %28, %cst_25) : (tensor<64x96xf32>, tensor<f32>, tensor<f32>) -> tensor<64x96xf32>
    %30 = stablehlo.convert %29 : (tensor<64x96xf32>) -> tensor<64x96xf8E4M3FN>
    %31 = stablehlo.abs %arg2 : tensor<96x160xf32>
    %cst_26 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %32 = stablehlo.reduce(%31 init: %cst_26) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<96x160xf32>, tensor<f32>) -> tensor<f32>
    %33 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<96x160xf32>
    %34 = stablehlo.multiply %arg2, %33 : tensor<96x160xf32>
    %cst_27 = stablehlo.constant dense<4.480000e+02> : tensor<f32>
    %35 = stablehlo.negate %cst_27 : tensor<f32>
    %cst_28 = stablehlo.constant dense<4.480000e+02> : tensor<f32>
    %36 = call @clip_0(%34, %35, %cst_28) : (tensor<96x160xf32>, tensor<f32>, tensor<f32>) -> tensor<96x160xf32>
    %37 = stablehlo.convert %36 : (tensor<96x160xf32>) -> tensor<96x160xf8E4M3FN>
    %38 = stablehlo.abs %arg4 : tensor<160x80xf32>
    %cst_29 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %39 = stablehlo.reduce(%38 init: %cst_29) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<160x80xf32>, tensor<f32>) -> tensor<f32>
    %40 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<f32>) -> tensor<160x80xf32>
    %41 = stablehlo.multiply %arg4, %40 : tensor<160x80xf32>
    %cst_30 = stablehlo.constant dense<4.480000e+02> : tensor<f32>
    %42 = stablehlo.negate %cst_30 : tensor<f32>
    %cst_31 = stablehlo.constant dense<4.480000e+02> : tensor<f32>
    %43 = call @clip_1(%41, %42, %cst_31) : (tensor<160x80xf32>, tensor<f32>, tensor<f32>) -> tensor<160x80xf32>
    %44 = stablehlo.convert %43 : (tensor<160x80xf32>) -> tensor<160x80xf8E4M3FN>
    %45 = stablehlo.convert %30 : (tensor<64x96xf8E4M3FN>) -> tensor<64x96xbf16>
    %cst_32 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %46 = stablehlo.divide %cst_32, %3 : tensor<f32>
    %47 = stablehlo.convert %46 : (tensor<f32>) -> tensor<bf16>
    %48 = stablehlo.broadcast_in_dim %47, dims = [] : (tensor<bf16>) -> tensor<64x96xbf16>
    %49 = stablehlo.multiply %45, %48 : tensor<64x96xbf16>
    %50 = stablehlo.convert %37 : (tensor<96x160xf8E4M3FN>) -> tensor<96x160xbf16>
    %cst_33 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %51 = stablehlo.divide %cst_33, %7 : tensor<f32>
    %52 = stablehlo.convert %51 : (tensor<f32>) -> tensor<bf16>
    %53 = stablehlo.broadcast_in_dim %52, dims = [] : (tensor<bf16>) -> tensor<96x160xbf16>
    %54 = stablehlo.multiply %50, %53 : tensor<96x160xbf16>
    %55 = stablehlo.dot_general %49, %54, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x96xbf16>, tensor<96x160xbf16>) -> tensor<64x160xf32>
    %56 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<160xf32>) -> tensor<1x160xf32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0, 1] : (tensor<1x160xf32>) -> tensor<64x160xf32>
    %58 = stablehlo.add %55, %57 : tensor<64x160xf32>
    %59 = stablehlo.multiply %58, %58 : tensor<64x160xf32>
    %60 = stablehlo.multiply %59, %58 : tensor<64x160xf32>
    %61 = stablehlo.multiply %58, %58 : tensor<64x160xf32>
    %cst_34 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<64x160xf32>
    %63 = stablehlo.multiply %62, %61 : tensor<64x160xf32>
    %cst_35 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<64x160xf32>
    %65 = stablehlo.multiply %64, %60 : tensor<64x160xf32>
    %66 = stablehlo.add %58, %65 : tensor<64x160xf32>
    %cst_36 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<64x160xf32>
    %68 = stablehlo.multiply %67, %66 : tensor<64x160xf32>
    %69 = stablehlo.tanh %68 : tensor<64x160xf32>
    %cst_37 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<64x160xf32>
    %71 = stablehlo.subtract %70, %69 : tensor<64x160xf32>
    %cst_38 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<64x160xf32>
    %73 = stablehlo.add %72, %69 : tensor<64x160xf32>
    %cst_39 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<64x160xf32>
    %75 = stablehlo.multiply %74, %73 : tensor<64x160xf32>
    %76 = stablehlo.multiply %58, %75 : tensor<64x160xf32>
    %77 = stablehlo.abs %76 : tensor<64x160xf32>
    %cst_40 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %78 = stablehlo.reduce(%77 init: %cst_40) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<64x160xf32>, tensor<f32>) -> tensor<f32>
    %79 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<f32>) -> tensor<64x160xf32>
    %80 = stablehlo.multiply %76, %79 : tensor<64x160xf32>
    %cst_41 = stablehlo.constant dense<4.480000e+02> : tensor<f32>
    %81 = stablehlo.negate %cst_41 : tensor<f32>
    %cst_42 = stablehlo.constant dense<4.480000e+02> : tensor<f32>
    %82 = call @clip_2(%80, %81, %cst_42) : (tensor<64x160xf32>, tensor<f32>, tensor<f32>) -> tensor<64x160xf32>
    %83 = stablehlo.convert %82 : (tensor<64x160xf32>) -> tensor<64x160xf8E4M3FN>
    %84 = stablehlo.convert %83 : (tensor<64x160xf8E4M3FN>) -> tensor<64x160xbf16>
    %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %85 = stablehlo.divide %cst_43, %11 : tensor<f32>
    %86 = stablehlo.convert %85 : (tensor<f32>) -> tensor<bf16>
    %87 = stablehlo.broadcast_in_dim %86, dims = [] : (tensor<bf16>) -> tensor<64x160xbf16>
    %88 = stablehlo.multiply %84, %87 : tensor<64x160xbf16>
    %89 = stablehlo.convert %44 : (tensor<160x80xf8E4M3FN>) -> tensor<160x80xbf16>
    %cst_44 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %90 = stablehlo.divide %cst_44, %15 : tensor<f32>
    %91 = stablehlo.convert %90 : (tensor<f32>) -> tensor<bf16>
    %92 = stablehlo.broadcast_in_dim %91, dims = [] : (tensor<bf16>) -> tensor<160x80xbf16>
    %93 = stablehlo.multiply %89, %92 : tensor<160x80xbf16>
    %94 = stablehlo.dot_general %88, %93, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x160xbf16>, tensor<160x80xbf16>) -> tensor<64x80xf32>
    %95 = stablehlo.broadcast_in_dim %arg5, dims = [1] : (tensor<80xf32>) -> tensor<1x80xf32>
    %96 = stablehlo.broadcast_in_dim %95, dims = [0, 1] : (tensor<1x80xf32>) -> tensor<64x80xf32>
    %97 = stablehlo.add %94, %96 : tensor<64x80xf32>
    %98 = stablehlo.subtract %97, %arg1 : tensor<64x80xf32>
    %99 = stablehlo.multiply %98, %98 : tensor<64x80xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %100 = stablehlo.reduce(%99 init: %cst_45) applies stablehlo.add across dimensions = [0, 1] : (tensor<64x80xf32>, tensor<f32>) -> tensor<f32>
    %cst_46 = stablehlo.constant dense<5.120000e+03> : tensor<f32>
    %101 = stablehlo.divide %100, %cst_46 : tensor<f32>
    %cst_47 = stablehlo.constant dense<3.906250e-04> : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<64x80xf32>
    %103 = stablehlo.multiply %98, %102 : tensor<64x80xf32>
    %104 = stablehlo.abs %103 : tensor<64x80xf32>
    %cst_48 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %105 = stablehlo.reduce(%104 init: %cst_48) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<64x80xf32>, tensor<f32>) -> tensor<f32>
    %106 = stablehlo.broadcast_in_dim %19, dims = [] : (tensor<f32>) -> tensor<64x80xf32>
    %107 = stablehlo.multiply %103, %106 : tensor<64x80xf32>
    %cst_49 = stablehlo.constant dense<5.734400e+04> : tensor<f32>
    %108 = stablehlo.negate %cst_49 : tensor<f32>
    %cst_50 = stablehlo.constant dense<5.734400e+04> : tensor<f32>
    %109 = call @clip_3(%107, %108, %cst_50) : (tensor<64x80xf32>, tensor<f32>, tensor<f32>) -> tensor<64x80xf32>
    %110 = stablehlo.convert %109 : (tensor<64x80xf32>) -> tensor<64x80xf8E5M2>
    %111 = stablehlo.convert %110 : (tensor<64x80xf8E5M2>) -> tensor<64x80xbf16>
    %cst_51 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %112 = stablehlo.divide %cst_51, %19 : tensor<f32>
    %113 = stablehlo.convert %112 : (tensor<f32>) -> tensor<bf16>
    %114 = stablehlo.broadcast_in_dim %113, dims = [] : (tensor<bf16>) -> tensor<64x80xbf16>
    %115 = stablehlo.multiply %111, %114 : tensor<64x80xbf16>
    %116 = stablehlo.convert %44 : (tensor<160x80xf8E4M3FN>) -> tensor<160x80xbf16>
    %cst_52 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %117 = stablehlo.divide %cst_52, %15 : tensor<f32>
    %118 = stablehlo.convert %117 : (tensor<f32>) -> tensor<bf16>
    %119 = stablehlo.broadcast_in_dim %118, dims = [] : (tensor<bf16>) -> tensor<160x80xbf16>
    %120 = stablehlo.multiply %116, %119 : tensor<160x80xbf16>
    %121 = stablehlo.dot_general %115, %120, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<64x80xbf16>, tensor<160x80xbf16>) -> tensor<64x160xf32>
    %122 = stablehlo.convert %83 : (tensor<64x160xf8E4M3FN>) -> tensor<64x160xbf16>
    %cst_53 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %123 = stablehlo.divide %cst_53, %11 : tensor<f32>
    %124 = stablehlo.convert %123 : (tensor<f32>) -> tensor<bf16>
    %125 = stablehlo.broadcast_in_dim %124, dims = [] : (tensor<bf16>) -> tensor<64x160xbf16>
    %126 = stablehlo.multiply %122, %125 : tensor<64x160xbf16>
    %127 = stablehlo.convert %110 : (tensor<64x80xf8E5M2>) -> tensor<64x80xbf16>
    %cst_54 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %128 = stablehlo.divide %cst_54, %19 : tensor<f32>
    %129 = stablehlo.convert %128 : (tensor<f32>) -> tensor<bf16>
    %130 = stablehlo.broadcast_in_dim %129, dims = [] : (tensor<bf16>) -> tensor<64x80xbf16>
    %131 = stablehlo.multiply %127, %130 : tensor<64x80xbf16>
    %132 = stablehlo.dot_general %126, %131, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x160xbf16>, tensor<64x80xbf16>) -> tensor<160x80xf32>
    %133 = stablehlo.multiply %58, %121 : tensor<64x160xf32>
    %134 = stablehlo.multiply %121, %75 : tensor<64x160xf32>
    %cst_55 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %135 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<64x160xf32>
    %136 = stablehlo.multiply %135, %133 : tensor<64x160xf32>
    %137 = stablehlo.multiply %136, %71 : tensor<64x160xf32>
    %138 = stablehlo.multiply %137, %69 : tensor<64x160xf32>
    %139 = stablehlo.add %137, %138 : tensor<64x160xf32>
    %cst_56 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %140 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<64x160xf32>
    %141 = stablehlo.multiply %140, %139 : tensor<64x160xf32>
    %142 = stablehlo.add %134, %141 : tensor<64x160xf32>
    %cst_57 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %143 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<64x160xf32>
    %144 = stablehlo.multiply %143, %141 : tensor<64x160xf32>
    %145 = stablehlo.multiply %144, %63 : tensor<64x160xf32>
    %146 = stablehlo.add %142, %145 : tensor<64x160xf32>
    %147 = stablehlo.abs %146 : tensor<64x160xf32>
    %cst_58 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %148 = stablehlo.reduce(%147 init: %cst_58) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<64x160xf32>, tensor<f32>) -> tensor<f32>
    %149 = stablehlo.broadcast_in_dim %23, dims = [] : (tensor<f32>) -> tensor<64x160xf32>
    %150 = stablehlo.multiply %146, %149 : tensor<64x160xf32>
    %cst_59 = stablehlo.constant dense<5.734400e+04> : tensor<f32>
    %151 = stablehlo.negate %cst_59 : tensor<f32>
    %cst_60 = stablehlo.constant dense<5.734400e+04> : tensor<f32>
    %152 = call @clip_2(%150, %151, %cst_60) : (tensor<64x160xf32>, tensor<f32>, tensor<f32>) -> tensor<64x160xf32>
    %153 = stablehlo.convert %152 : (tensor<64x160xf32>) -> tensor<64x160xf8E5M2>
    %154 = stablehlo.convert %153 : (tensor<64x160xf8E5M2>) -> tensor<64x160xbf16>
    %cst_61 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %155 = stablehlo.divide %cst_61, %23 : tensor<f32>
    %156 = stablehlo.convert %155 : (tensor<f32>) -> tensor<bf16>
    %157 = stablehlo.broadcast_in_dim %156, dims = [] : (tensor<bf16>) -> tensor<64x160xbf16>
    %158 = stablehlo.multiply %154, %157 : tensor<64x160xbf16>
    %159 = stablehlo.convert %37 : (tensor<96x160xf8E4M3FN>) -> tensor<96x160xbf16>
    %cst_62 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %160 = stablehlo.divide %cst_62, %7 : tensor<f32>
    %161 = stablehlo.convert %160 : (tensor<f32>) -> tensor<bf16>
    %162 = stablehlo.broadcast_in_dim %161, dims = [] : (tensor<bf16>) -> tensor<96x160xbf16>
    %163 = stablehlo.multiply %159, %162 : tensor<96x160xbf16>
    %164 = stablehlo.dot_general %158, %163, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<64x160xbf16>, tensor<96x160xbf16>) -> tensor<64x96xf32>
    %165 = stablehlo.convert %30 : (tensor<64x96xf8E4M3FN>) -> tensor<64x96xbf16>
    %cst_63 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %166 = stablehlo.divide %cst_63, %3 : tensor<f32>
    %167 = stablehlo.convert %166 : (tensor<f32>) -> tensor<bf16>
    %168 = stablehlo.broadcast_in_dim %167, dims = [] : (tensor<bf16>) -> tensor<64x96xbf16>
    %169 = stablehlo.multiply %165, %168 : tensor<64x96xbf16>
    %170 = stablehlo.convert %153 : (tensor<64x160xf8E5M2>) -> tensor<64x160xbf16>
    %cst_64 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %171 = stablehlo.divide %cst_64, %23 : tensor<f32>
    %172 = stablehlo.convert %171 : (tensor<f32>) -> tensor<bf16>
    %173 = stablehlo.broadcast_in_dim %172, dims = [] : (tensor<bf16>) -> tensor<64x160xbf16>
    %174 = stablehlo.multiply %170, %173 : tensor<64x160xbf16>
    %175 = stablehlo.dot_general %169, %174, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<64x96xbf16>, tensor<64x160xbf16>) -> tensor<96x160xf32>
    %176 = stablehlo.broadcast_in_dim %25, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %177 = stablehlo.slice %arg11 [0:3] : (tensor<4xf32>) -> tensor<3xf32>
    %178 = stablehlo.concatenate %176, %177, dim = 0 : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
    %179 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %180 = stablehlo.slice %arg9 [0:3] : (tensor<4xf32>) -> tensor<3xf32>
    %181 = stablehlo.concatenate %179, %180, dim = 0 : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
    %182 = stablehlo.broadcast_in_dim %78, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %183 = stablehlo.slice %arg8 [0:3] : (tensor<4xf32>) -> tensor<3xf32>
    %184 = stablehlo.concatenate %182, %183, dim = 0 : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
    %185 = stablehlo.broadcast_in_dim %39, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %186 = stablehlo.slice %arg10 [0:3] : (tensor<4xf32>) -> tensor<3xf32>
    %187 = stablehlo.concatenate %185, %186, dim = 0 : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
    %188 = stablehlo.broadcast_in_dim %105, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %189 = stablehlo.slice %arg6 [0:3] : (tensor<4xf32>) -> tensor<3xf32>
    %190 = stablehlo.concatenate %188, %189, dim = 0 : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
    %191 = stablehlo.broadcast_in_dim %148, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %192 = stablehlo.slice %arg7 [0:3] : (tensor<4xf32>) -> tensor<3xf32>
    %193 = stablehlo.concatenate %191, %192, dim = 0 : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
    %194 = stablehlo.broadcast_in_dim %arg12, dims = [] : (tensor<f32>) -> tensor<96x160xf32>
    %195 = stablehlo.multiply %194, %175 : tensor<96x160xf32>
    %196 = stablehlo.subtract %arg2, %195 : tensor<96x160xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %197 = stablehlo.reduce(%146 init: %cst_65) applies stablehlo.add across dimensions = [0] : (tensor<64x160xf32>, tensor<f32>) -> tensor<160xf32>
    %198 = stablehlo.broadcast_in_dim %arg12, dims = [] : (tensor<f32>) -> tensor<160xf32>
    %199 = stablehlo.multiply %198, %197 : tensor<160xf32>
    %200 = stablehlo.subtract %arg3, %199 : tensor<160xf32>
    %201 = stablehlo.broadcast_in_dim %arg12, dims = [] : (tensor<f32>) -> tensor<160x80xf32>
    %202 = stablehlo.multiply %201, %132 : tensor<160x80xf32>
    %203 = stablehlo.subtract %arg4, %202 : tensor<160x80xf32>
    %cst_66 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %204 = stablehlo.reduce(%103 init: %cst_66) applies stablehlo.add across dimensions = [0] : (tensor<64x80xf32>, tensor<f32>) -> tensor<80xf32>
    %205 = stablehlo.broadcast_in_dim %arg12, dims = [] : (tensor<f32>) -> tensor<80xf32>
    %206 = stablehlo.multiply %205, %204 : tensor<80xf32>
    %207 = stablehlo.subtract %arg5, %206 : tensor<80xf32>
    return %101, %164, %196, %200, %203, %207, %190, %193, %184, %181, %187, %178 : tensor<f32>, tensor<64x96xf32>, tensor<96x160xf32>, tensor<160xf32>, tensor<160x80xf32>, tensor<80xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<i1>, tensor<f32>
    return %1 : tensor<f32>
  }
  func.func private @clip(%arg0: tensor<64x96xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<64x96xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<64x96xf32>
    %1 = stablehlo.maximum %0, %arg0 : tensor<64x96xf32>
    %2 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<64x96xf32>
    %3 = stablehlo.minimum %2, %1 : tensor<64x96xf32>
    return %3 : tensor<64x96xf32>
  }
  func.func private @clip_0(%arg0: tensor<96x160xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<96x160xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<96x160xf32>
    %1 = stablehlo.maximum %0, %arg0 : tensor<96x160xf32>
    %2 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<96x160xf32>
    %3 = stablehlo.minimum %2, %1 : tensor<96x160xf32>
    return %3 : tensor<96x160xf32>
  }
  func.func private @clip_1(%arg0: tensor<160x80xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<160x80xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<160x80xf32>
    %1 = stablehlo.maximum %0, %arg0 : tensor<160x80xf32>
    %2 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<160x80xf32>
    %3 = stablehlo.minimum %2, %1 : tensor<160x80xf32>
    return %3 : tensor<160x80xf32>
  }
  func.func private @clip_2(%arg0: tensor<64x160xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<64x160xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<64x160xf32>
    %1 = stablehlo.maximum %0, %arg0 : tensor<64x160xf32>
    %2 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<64x160xf32>
    %3 = stablehlo.minimum %2, %1 : tensor<64x160xf32>
    return %3 : tensor<64x160xf32>
  }
  func.func private @clip_3(%arg0: tensor<64x80xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<64x80xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<64x80xf32>
    %1 = stablehlo.maximum %0, %arg0 : tensor<64x80xf32>
    %2 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<64x80xf32>
    %3 = stablehlo.minimum %2, %1 : tensor<64x80xf32>
    return %3 : tensor<64x80xf32>
  }
}
