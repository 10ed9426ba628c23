// RUN: drumlin run %s --interpret

// Random bits and numbers.

func.func @main() {
  // The known answers of Random123 for a counter and a key of zeros.
  %c1 = stablehlo.constant dense<0> : tensor<2xui64>
  %r2:2 = stablehlo.rng_bit_generator %c1, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui32>)
  %c3 = stablehlo.constant dense<[1797259609, 2579123966]> : tensor<2xui32>
  stablehlo.custom_call @check.expect_eq(%r2#1, %c3) {has_side_effect = true} : (tensor<2xui32>, tensor<2xui32>) -> ()
  %c4 = stablehlo.constant dense<[0, 1]> : tensor<2xui64>
  stablehlo.custom_call @check.expect_eq(%r2#0, %c4) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
  %c5 = stablehlo.constant dense<0> : tensor<3xui64>
  %r6:2 = stablehlo.rng_bit_generator %c5, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  %c7 = stablehlo.constant dense<[1713891541, 3781805453, 3159862348, 2600524760]> : tensor<4xui32>
  stablehlo.custom_call @check.expect_eq(%r6#1, %c7) {has_side_effect = true} : (tensor<4xui32>, tensor<4xui32>) -> ()
  %c8 = stablehlo.constant dense<[0, 1, 0]> : tensor<3xui64>
  stablehlo.custom_call @check.expect_eq(%r6#0, %c8) {has_side_effect = true} : (tensor<3xui64>, tensor<3xui64>) -> ()

  // Uniform numbers are inside of their interval, and two draws differ.
  %c9 = stablehlo.constant dense<2.0> : tensor<f32>
  %c10 = stablehlo.constant dense<3.0> : tensor<f32>
  %c11 = stablehlo.constant dense<[100]> : tensor<1xi64>
  %r12 = stablehlo.rng %c9, %c10, %c11, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<100xf32>
  %r13 = stablehlo.rng %c9, %c10, %c11, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<100xf32>
  %r14 = stablehlo.clamp %c9, %r12, %c10 : (tensor<f32>, tensor<100xf32>, tensor<f32>) -> tensor<100xf32>
  stablehlo.custom_call @check.expect_eq(%r14, %r12) {has_side_effect = true} : (tensor<100xf32>, tensor<100xf32>) -> ()
  %r15 = stablehlo.compare NE, %r12, %r13 : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xi1>
  %c16 = stablehlo.constant dense<false> : tensor<i1>
  %r17 = stablehlo.reduce(%r15 init: %c16) applies stablehlo.or across dimensions = [0] : (tensor<100xi1>, tensor<i1>) -> tensor<i1>
  %c18 = stablehlo.constant dense<true> : tensor<i1>
  stablehlo.custom_call @check.expect_eq(%r17, %c18) {has_side_effect = true} : (tensor<i1>, tensor<i1>) -> ()

  // Normal numbers: the mean of a thousand is near the distribution's mean.
  %c19 = stablehlo.constant dense<[1000]> : tensor<1xi64>
  %r20 = stablehlo.rng %c9, %c10, %c19, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<1000xf32>
  %c21 = stablehlo.constant dense<0.0> : tensor<f32>
  %r22 = stablehlo.reduce(%r20 init: %c21) applies stablehlo.add across dimensions = [0] : (tensor<1000xf32>, tensor<f32>) -> tensor<f32>
  %c23 = stablehlo.constant dense<1000.0> : tensor<f32>
  %r24 = stablehlo.divide %r22, %c23 : tensor<f32>
  %c25 = stablehlo.constant dense<1.5> : tensor<f32>
  %c26 = stablehlo.constant dense<2.5> : tensor<f32>
  %r27 = stablehlo.clamp %c25, %r24, %c26 : tensor<f32>
  stablehlo.custom_call @check.expect_eq(%r27, %r24) {has_side_effect = true} : (tensor<f32>, tensor<f32>) -> ()
  return
}
