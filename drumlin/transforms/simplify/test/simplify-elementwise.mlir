// RUN: drumlin-opt --simplify-elementwise %s | FileCheck %s

// Elementwise operations that return an operand, and similar operations that don't.

// add with its identity returns the operand.
// CHECK-LABEL: func.func @add_zero_i32(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @add_zero_i32(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK: return %[[X]]
  %c = stablehlo.constant dense<0> : tensor<4xi32>
  %0 = stablehlo.add %x, %c : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// add with its identity returns the operand.
// CHECK-LABEL: func.func @add_minus_zero_f32(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @add_minus_zero_f32(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: return %[[X]]
  %c = stablehlo.constant dense<-0.0> : tensor<4xf32>
  %0 = stablehlo.add %x, %c : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// subtract with its identity returns the operand.
// CHECK-LABEL: func.func @subtract_zero_ui8(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @subtract_zero_ui8(%x: tensor<4xui8>) -> tensor<4xui8> {
  // CHECK: return %[[X]]
  %c = stablehlo.constant dense<0> : tensor<4xui8>
  %0 = stablehlo.subtract %x, %c : tensor<4xui8>
  return %0 : tensor<4xui8>
}

// subtract with its identity returns the operand.
// CHECK-LABEL: func.func @subtract_zero_f32(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @subtract_zero_f32(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: return %[[X]]
  %c = stablehlo.constant dense<0.0> : tensor<4xf32>
  %0 = stablehlo.subtract %x, %c : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// multiply with its identity returns the operand.
// CHECK-LABEL: func.func @multiply_one_bf16(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @multiply_one_bf16(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  // CHECK: return %[[X]]
  %c = stablehlo.constant dense<1.0> : tensor<4xbf16>
  %0 = stablehlo.multiply %x, %c : tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// multiply with its identity returns the operand.
// CHECK-LABEL: func.func @multiply_one_i64(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @multiply_one_i64(%x: tensor<4xi64>) -> tensor<4xi64> {
  // CHECK: return %[[X]]
  %c = stablehlo.constant dense<1> : tensor<4xi64>
  %0 = stablehlo.multiply %x, %c : tensor<4xi64>
  return %0 : tensor<4xi64>
}

// divide with its identity returns the operand.
// CHECK-LABEL: func.func @divide_one_f32(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @divide_one_f32(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: return %[[X]]
  %c = stablehlo.constant dense<1.0> : tensor<4xf32>
  %0 = stablehlo.divide %x, %c : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// divide with its identity returns the operand.
// CHECK-LABEL: func.func @divide_one_i8(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @divide_one_i8(%x: tensor<4xi8>) -> tensor<4xi8> {
  // CHECK: return %[[X]]
  %c = stablehlo.constant dense<1> : tensor<4xi8>
  %0 = stablehlo.divide %x, %c : tensor<4xi8>
  return %0 : tensor<4xi8>
}

// power with its identity returns the operand.
// CHECK-LABEL: func.func @power_one_f64(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @power_one_f64(%x: tensor<4xf64>) -> tensor<4xf64> {
  // CHECK: return %[[X]]
  %c = stablehlo.constant dense<1.0> : tensor<4xf64>
  %0 = stablehlo.power %x, %c : tensor<4xf64>
  return %0 : tensor<4xf64>
}

// and with its identity returns the operand.
// CHECK-LABEL: func.func @and_ones_i32(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @and_ones_i32(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK: return %[[X]]
  %c = stablehlo.constant dense<-1> : tensor<4xi32>
  %0 = stablehlo.and %x, %c : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// and with its identity returns the operand.
// CHECK-LABEL: func.func @and_true_i1(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @and_true_i1(%x: tensor<4xi1>) -> tensor<4xi1> {
  // CHECK: return %[[X]]
  %c = stablehlo.constant dense<true> : tensor<4xi1>
  %0 = stablehlo.and %x, %c : tensor<4xi1>
  return %0 : tensor<4xi1>
}

// or with its identity returns the operand.
// CHECK-LABEL: func.func @or_zero_ui16(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @or_zero_ui16(%x: tensor<4xui16>) -> tensor<4xui16> {
  // CHECK: return %[[X]]
  %c = stablehlo.constant dense<0> : tensor<4xui16>
  %0 = stablehlo.or %x, %c : tensor<4xui16>
  return %0 : tensor<4xui16>
}

// or with its identity returns the operand.
// CHECK-LABEL: func.func @or_false_i1(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @or_false_i1(%x: tensor<4xi1>) -> tensor<4xi1> {
  // CHECK: return %[[X]]
  %c = stablehlo.constant dense<false> : tensor<4xi1>
  %0 = stablehlo.or %x, %c : tensor<4xi1>
  return %0 : tensor<4xi1>
}

// xor with its identity returns the operand.
// CHECK-LABEL: func.func @xor_zero_i8(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @xor_zero_i8(%x: tensor<4xi8>) -> tensor<4xi8> {
  // CHECK: return %[[X]]
  %c = stablehlo.constant dense<0> : tensor<4xi8>
  %0 = stablehlo.xor %x, %c : tensor<4xi8>
  return %0 : tensor<4xi8>
}

// shift_left with its identity returns the operand.
// CHECK-LABEL: func.func @shift_left_zero_i32(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @shift_left_zero_i32(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK: return %[[X]]
  %c = stablehlo.constant dense<0> : tensor<4xi32>
  %0 = stablehlo.shift_left %x, %c : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// shift_right_arithmetic with its identity returns the operand.
// CHECK-LABEL: func.func @shift_right_arithmetic_zero_i32(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @shift_right_arithmetic_zero_i32(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK: return %[[X]]
  %c = stablehlo.constant dense<0> : tensor<4xi32>
  %0 = stablehlo.shift_right_arithmetic %x, %c : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// shift_right_logical with its identity returns the operand.
// CHECK-LABEL: func.func @shift_right_logical_zero_ui32(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @shift_right_logical_zero_ui32(%x: tensor<4xui32>) -> tensor<4xui32> {
  // CHECK: return %[[X]]
  %c = stablehlo.constant dense<0> : tensor<4xui32>
  %0 = stablehlo.shift_right_logical %x, %c : tensor<4xui32>
  return %0 : tensor<4xui32>
}

// -0 + 0 is 0: the sum stays.
// CHECK-LABEL: func.func @add_zero_f32_stays(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @add_zero_f32_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: stablehlo.add
  %c = stablehlo.constant dense<0.0> : tensor<4xf32>
  %0 = stablehlo.add %x, %c : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -0 - -0 is 0: the difference stays.
// CHECK-LABEL: func.func @subtract_minus_zero_f32_stays(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @subtract_minus_zero_f32_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: stablehlo.subtract
  %c = stablehlo.constant dense<-0.0> : tensor<4xf32>
  %0 = stablehlo.subtract %x, %c : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A NaN times zero is NaN: the product stays.
// CHECK-LABEL: func.func @multiply_zero_f32_stays(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @multiply_zero_f32_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: stablehlo.multiply
  %c = stablehlo.constant dense<0.0> : tensor<4xf32>
  %0 = stablehlo.multiply %x, %c : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// x & 1 clears all bits except the lowest: the operation stays.
// CHECK-LABEL: func.func @and_one_i32_stays(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @and_one_i32_stays(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK: stablehlo.and
  %c = stablehlo.constant dense<1> : tensor<4xi32>
  %0 = stablehlo.and %x, %c : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// The identity of a commutative operation may be on either side, and may be broadcast.
// CHECK-LABEL: func.func @identity_on_the_left(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @identity_on_the_left(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK: return %[[X]]
  %c = stablehlo.constant dense<0> : tensor<i32>
  %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
  %0 = stablehlo.add %b, %x : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// 0 - x is not x.
// CHECK-LABEL: func.func @difference_from_zero(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @difference_from_zero(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK: stablehlo.subtract
  %c = stablehlo.constant dense<0> : tensor<4xi32>
  %0 = stablehlo.subtract %c, %x : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// and(x, x) = x.
// CHECK-LABEL: func.func @and_of_one_value(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @and_of_one_value(%x: tensor<4xi8>) -> tensor<4xi8> {
  // CHECK-NEXT: return %[[X]]
  %0 = stablehlo.and %x, %x : tensor<4xi8>
  return %0 : tensor<4xi8>
}

// or(x, x) = x.
// CHECK-LABEL: func.func @or_of_one_value(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @or_of_one_value(%x: tensor<4xi1>) -> tensor<4xi1> {
  // CHECK-NEXT: return %[[X]]
  %0 = stablehlo.or %x, %x : tensor<4xi1>
  return %0 : tensor<4xi1>
}

// maximum(x, x) = x.
// CHECK-LABEL: func.func @maximum_of_one_value(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @maximum_of_one_value(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = stablehlo.maximum %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// minimum(x, x) = x.
// CHECK-LABEL: func.func @minimum_of_one_value(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @minimum_of_one_value(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = stablehlo.minimum %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// x + x is not x.
// CHECK-LABEL: func.func @add_of_one_value(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @add_of_one_value(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: stablehlo.add
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// negate(negate(x)) = x.
// CHECK-LABEL: func.func @negate_twice(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @negate_twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: return %[[X]]
  %0 = stablehlo.negate %x : tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A single negation stays.
// CHECK-LABEL: func.func @negate_once(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @negate_once(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: stablehlo.negate
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// not(not(x)) = x.
// CHECK-LABEL: func.func @not_twice(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @not_twice(%x: tensor<4xi8>) -> tensor<4xi8> {
  // CHECK: return %[[X]]
  %0 = stablehlo.not %x : tensor<4xi8>
  %1 = stablehlo.not %0 : tensor<4xi8>
  return %1 : tensor<4xi8>
}

// A single `not` stays.
// CHECK-LABEL: func.func @not_once(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @not_once(%x: tensor<4xi8>) -> tensor<4xi8> {
  // CHECK-NEXT: stablehlo.not
  %0 = stablehlo.not %x : tensor<4xi8>
  return %0 : tensor<4xi8>
}

// abs(abs(x)) = abs(x).
// CHECK-LABEL: func.func @abs_twice(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @abs_twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[A:.*]] = stablehlo.abs
  // CHECK-NEXT: return %[[A]]
  %0 = stablehlo.abs %x : tensor<4xf32>
  %1 = stablehlo.abs %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// abs(negate(x)) stays.
// CHECK-LABEL: func.func @abs_of_negate(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @abs_of_negate(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: stablehlo.negate
  // CHECK-NEXT: stablehlo.abs
  %0 = stablehlo.negate %x : tensor<4xf32>
  %1 = stablehlo.abs %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A wider type can represent every number.
// CHECK-LABEL: func.func @convert_back_bf16_f32(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @convert_back_bf16_f32(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  // CHECK: return %[[X]]
  %0 = stablehlo.convert %x : (tensor<4xbf16>) -> tensor<4xf32>
  %1 = stablehlo.convert %0 : (tensor<4xf32>) -> tensor<4xbf16>
  return %1 : tensor<4xbf16>
}

// A wider type can represent every number.
// CHECK-LABEL: func.func @convert_back_f8E4M3FN_bf16(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @convert_back_f8E4M3FN_bf16(%x: tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN> {
  // CHECK: return %[[X]]
  %0 = stablehlo.convert %x : (tensor<4xf8E4M3FN>) -> tensor<4xbf16>
  %1 = stablehlo.convert %0 : (tensor<4xbf16>) -> tensor<4xf8E4M3FN>
  return %1 : tensor<4xf8E4M3FN>
}

// A wider type can represent every number.
// CHECK-LABEL: func.func @convert_back_i8_i32(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @convert_back_i8_i32(%x: tensor<4xi8>) -> tensor<4xi8> {
  // CHECK: return %[[X]]
  %0 = stablehlo.convert %x : (tensor<4xi8>) -> tensor<4xi32>
  %1 = stablehlo.convert %0 : (tensor<4xi32>) -> tensor<4xi8>
  return %1 : tensor<4xi8>
}

// A wider type can represent every number.
// CHECK-LABEL: func.func @convert_back_f16_f32(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @convert_back_f16_f32(%x: tensor<4xf16>) -> tensor<4xf16> {
  // CHECK: return %[[X]]
  %0 = stablehlo.convert %x : (tensor<4xf16>) -> tensor<4xf32>
  %1 = stablehlo.convert %0 : (tensor<4xf32>) -> tensor<4xf16>
  return %1 : tensor<4xf16>
}

// A wider type can represent every number.
// CHECK-LABEL: func.func @convert_back_ui8_ui16(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @convert_back_ui8_ui16(%x: tensor<4xui8>) -> tensor<4xui8> {
  // CHECK: return %[[X]]
  %0 = stablehlo.convert %x : (tensor<4xui8>) -> tensor<4xui16>
  %1 = stablehlo.convert %0 : (tensor<4xui16>) -> tensor<4xui8>
  return %1 : tensor<4xui8>
}

// A narrower type rounds.
// CHECK-LABEL: func.func @convert_back_f32_bf16_stays(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @convert_back_f32_bf16_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-COUNT-2: stablehlo.convert
  %0 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xbf16>
  %1 = stablehlo.convert %0 : (tensor<4xbf16>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// f16 has a smaller range.
// CHECK-LABEL: func.func @convert_back_bf16_f16_stays(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @convert_back_bf16_f16_stays(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  // CHECK-COUNT-2: stablehlo.convert
  %0 = stablehlo.convert %x : (tensor<4xbf16>) -> tensor<4xf16>
  %1 = stablehlo.convert %0 : (tensor<4xf16>) -> tensor<4xbf16>
  return %1 : tensor<4xbf16>
}

// Large integers are rounded.
// CHECK-LABEL: func.func @convert_back_i32_f32_stays(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @convert_back_i32_f32_stays(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK-COUNT-2: stablehlo.convert
  %0 = stablehlo.convert %x : (tensor<4xi32>) -> tensor<4xf32>
  %1 = stablehlo.convert %0 : (tensor<4xf32>) -> tensor<4xi32>
  return %1 : tensor<4xi32>
}

// ui16 can't represent negative numbers.
// CHECK-LABEL: func.func @convert_back_i8_ui16_stays(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @convert_back_i8_ui16_stays(%x: tensor<4xi8>) -> tensor<4xi8> {
  // CHECK-COUNT-2: stablehlo.convert
  %0 = stablehlo.convert %x : (tensor<4xi8>) -> tensor<4xui16>
  %1 = stablehlo.convert %0 : (tensor<4xui16>) -> tensor<4xi8>
  return %1 : tensor<4xi8>
}

// Booleans are not integers.
// CHECK-LABEL: func.func @convert_back_i1_i8_stays(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @convert_back_i1_i8_stays(%x: tensor<4xi1>) -> tensor<4xi1> {
  // CHECK-COUNT-2: stablehlo.convert
  %0 = stablehlo.convert %x : (tensor<4xi1>) -> tensor<4xi8>
  %1 = stablehlo.convert %0 : (tensor<4xi8>) -> tensor<4xi1>
  return %1 : tensor<4xi1>
}

// real(complex(a, b)) = a.
// CHECK-LABEL: func.func @parts(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @parts(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NOT: stablehlo.real
  // CHECK: return %[[X]], %{{.*}}
  %0 = stablehlo.complex %x, %y : tensor<4xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %2 = stablehlo.imag %0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// Between two kernels, only the real and imaginary parts are stored.
// CHECK-LABEL: func.func @parts_between_kernels
// CHECK: stablehlo.fft
// CHECK: stablehlo.complex
// CHECK: stablehlo.fft
func.func @parts_between_kernels(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = stablehlo.fft %x, type = RFFT, length = [16] : (tensor<16xf32>) -> tensor<9xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<9xcomplex<f32>>) -> tensor<9xf32>
  %2 = stablehlo.imag %0 : (tensor<9xcomplex<f32>>) -> tensor<9xf32>
  %3 = stablehlo.complex %1, %2 : tensor<9xcomplex<f32>>
  %4 = stablehlo.fft %3, type = IRFFT, length = [16] : (tensor<9xcomplex<f32>>) -> tensor<16xf32>
  return %4 : tensor<16xf32>
}

// complex(real(z), imag(z)) = z.
// CHECK-LABEL: func.func @number_of_its_parts(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @number_of_its_parts(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // CHECK: return %[[X]]
  %0 = stablehlo.real %x : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %1 = stablehlo.imag %x : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %2 = stablehlo.complex %0, %1 : tensor<4xcomplex<f32>>
  return %2 : tensor<4xcomplex<f32>>
}

// complex(imag(z), real(z)) is not z.
// CHECK-LABEL: func.func @number_of_swapped_parts(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @number_of_swapped_parts(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // CHECK: stablehlo.complex
  %0 = stablehlo.real %x : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %1 = stablehlo.imag %x : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %2 = stablehlo.complex %1, %0 : tensor<4xcomplex<f32>>
  return %2 : tensor<4xcomplex<f32>>
}

// select(p, x, x) = x.
// CHECK-LABEL: func.func @select_of_one_value(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @select_of_one_value(%x: tensor<4xf32>, %p: tensor<4xi1>) -> tensor<4xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = stablehlo.select %p, %x, %x : tensor<4xi1>, tensor<4xf32>
  return %0 : tensor<4xf32>
}

// select(true, x, y) = x.
// CHECK-LABEL: func.func @select_by_true(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @select_by_true(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: return %[[X]]
  %c = stablehlo.constant dense<true> : tensor<i1>
  %0 = stablehlo.select %c, %x, %y : tensor<i1>, tensor<4xf32>
  return %0 : tensor<4xf32>
}

// select(false, y, x) = x.
// CHECK-LABEL: func.func @select_by_false(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @select_by_false(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: return %[[X]]
  %c = stablehlo.constant dense<false> : tensor<4xi1>
  %0 = stablehlo.select %c, %y, %x : tensor<4xi1>, tensor<4xf32>
  return %0 : tensor<4xf32>
}

// select(not(p), x, y) = select(p, y, x).
// CHECK-LABEL: func.func @select_by_inverted(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @select_by_inverted(%x: tensor<4xf32>, %y: tensor<4xf32>, %p: tensor<4xi1>) -> tensor<4xf32> {
  // CHECK-NOT: stablehlo.not
  // CHECK: stablehlo.select %{{.*}}, %{{.*}}, %[[X]]
  %0 = stablehlo.not %p : tensor<4xi1>
  %1 = stablehlo.select %0, %x, %y : tensor<4xi1>, tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A predicate with both `true` and `false` elements selects neither operand as a whole.
// CHECK-LABEL: func.func @select_by_several(
// CHECK-SAME: %[[X:[a-z0-9]+]]:
func.func @select_by_several(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: stablehlo.select
  %c = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %0 = stablehlo.select %c, %x, %y : tensor<2xi1>, tensor<2xf32>
  return %0 : tensor<2xf32>
}


// In a type without zero, the constant 0 becomes the smallest number, whose addition changes a number.
// CHECK-LABEL: @add_the_least_scale
func.func @add_the_least_scale(%x: tensor<4xf8E8M0FNU>) -> tensor<4xf8E8M0FNU> {
  // CHECK: stablehlo.add
  %c = stablehlo.constant dense<0x00> : tensor<4xf8E8M0FNU>
  %0 = stablehlo.add %x, %c : tensor<4xf8E8M0FNU>
  return %0 : tensor<4xf8E8M0FNU>
}

// In a type without a sign, negating a number gives NaN, and negating NaN gives NaN.
// CHECK-LABEL: @negate_scales_twice
func.func @negate_scales_twice(%x: tensor<4xf8E8M0FNU>) -> tensor<4xf8E8M0FNU> {
  // CHECK-COUNT-2: stablehlo.negate
  %0 = stablehlo.negate %x : tensor<4xf8E8M0FNU>
  %1 = stablehlo.negate %0 : tensor<4xf8E8M0FNU>
  return %1 : tensor<4xf8E8M0FNU>
}
