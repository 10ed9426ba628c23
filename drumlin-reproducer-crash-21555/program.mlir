func.func @main(%a: tensor<4x6xcomplex<f32>>, %s: tensor<2x3xcomplex<f32>>) -> tensor<4x6xcomplex<f32>> {
  %z = stablehlo.constant dense<(0.0,0.0)> : tensor<complex<f32>>
  %r = "stablehlo.select_and_scatter"(%a, %s, %z) <{window_dimensions = array<i64: 2,2>, window_strides = array<i64: 2,2>}> ({
  ^bb0(%x: tensor<complex<f32>>, %y: tensor<complex<f32>>):
    %k = stablehlo.compare GE, %x, %y : (tensor<complex<f32>>, tensor<complex<f32>>) -> tensor<i1>
    stablehlo.return %k : tensor<i1>
  }, {
  ^bb0(%x: tensor<complex<f32>>, %y: tensor<complex<f32>>):
    %k = stablehlo.add %x, %y : tensor<complex<f32>>
    stablehlo.return %k : tensor<complex<f32>>
  }) : (tensor<4x6xcomplex<f32>>, tensor<2x3xcomplex<f32>>, tensor<complex<f32>>) -> tensor<4x6xcomplex<f32>>
  return %r : tensor<4x6xcomplex<f32>>
}
