// RUN: drumlin-opt --simplify-dynamics --split-input-file --verify-diagnostics %s

// Computed sizes that differ from the result's type are an error.
func.func @iota() -> tensor<4xi32> {
  %two = stablehlo.constant dense<2> : tensor<1xi64>
  %three = stablehlo.add %two, %two : tensor<1xi64>
  %five = stablehlo.add %three, %two : tensor<1xi64>
  // expected-error @+1 {{the sizes that the program computes for `stablehlo.dynamic_iota` don't make its result `tensor<4xi32>`}}
  %0 = stablehlo.dynamic_iota %five, dim = 0 : (tensor<1xi64>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// Padding that gives another size is an error too.
func.func @pad(%x: tensor<4x5x!quant.uniform<i8:f32, 0.1:3>>, %z: tensor<!quant.uniform<i8:f32, 0.1:3>>) -> tensor<4x6x!quant.uniform<i8:f32, 0.1:3>> {
  %size = stablehlo.get_dimension_size %x, dim = 0 : (tensor<4x5x!quant.uniform<i8:f32, 0.1:3>>) -> tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.multiply %size, %three : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %last = stablehlo.reshape %one : (tensor<i32>) -> tensor<1xi32>
  %low = stablehlo.concatenate %zero, %last, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %none = stablehlo.constant dense<0> : tensor<2xi32>
  // expected-error @+1 {{the sizes that the program computes for `stablehlo.dynamic_pad` don't make its result}}
  %0 = stablehlo.dynamic_pad %x, %z, %low, %none, %none : (tensor<4x5x!quant.uniform<i8:f32, 0.1:3>>, tensor<!quant.uniform<i8:f32, 0.1:3>>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<4x6x!quant.uniform<i8:f32, 0.1:3>>
  return %0 : tensor<4x6x!quant.uniform<i8:f32, 0.1:3>>
}

// -----

func.func @slice(%x: tensor<8xf32>) -> tensor<2xf32> {
  %one = stablehlo.constant dense<1> : tensor<1xi64>
  %four = stablehlo.constant dense<4> : tensor<1xi64>
  %limit = stablehlo.add %one, %four : tensor<1xi64>
  // expected-error @+1 {{the sizes that the program computes for `stablehlo.real_dynamic_slice`}}
  %0 = stablehlo.real_dynamic_slice %x, %one, %limit, %one : (tensor<8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
