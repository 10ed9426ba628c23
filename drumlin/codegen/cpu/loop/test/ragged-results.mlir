// RUN: drumlin check %s --target-cpu avx2
// RUN: drumlin check %s --target-cpu baseline

// Without AVX-512 there are no masked loads of bytes and 16-bit words: each lane would be loaded separately.
// The results have several shapes and traversals: flat traversals whose lanes cross rows, blocked traversals, scans, kept rows,
// rows shorter than a vector, and in-place results.
func.func @main(%x: tensor<37x53xi8>, %h: tensor<37x53xbf16>, %s: tensor<37x9xi8>, %b: tensor<11x5x7xi8>)
    -> (tensor<53xi8>, tensor<53x37xi8>, tensor<37x53xi8>, tensor<37x53xbf16>, tensor<9xi8>, tensor<5x7xi8>, tensor<37x53xi8>) {
  %low = stablehlo.constant dense<-128> : tensor<i8>
  %zero = stablehlo.constant dense<0> : tensor<i8>
  %lowest = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<37x53xi8>, tensor<i8>) -> tensor<53xi8>
  %1 = stablehlo.transpose %x, dims = [1, 0] : (tensor<37x53xi8>) -> tensor<53x37xi8>
  %2 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 37, 1>, padding = dense<[[36, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%p: tensor<i8>, %q: tensor<i8>):
    %12 = stablehlo.add %p, %q : tensor<i8>
    stablehlo.return %12 : tensor<i8>
  }) : (tensor<37x53xi8>, tensor<i8>) -> tensor<37x53xi8>
  %3 = stablehlo.abs %h : tensor<37x53xbf16>
  %4 = stablehlo.reduce(%3 init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<37x53xbf16>, tensor<bf16>) -> tensor<37xbf16>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<37xbf16>) -> tensor<37x53xbf16>
  %6 = stablehlo.subtract %3, %5 : tensor<37x53xbf16>
  %7 = stablehlo.reduce(%s init: %zero) applies stablehlo.xor across dimensions = [0] : (tensor<37x9xi8>, tensor<i8>) -> tensor<9xi8>
  %8 = stablehlo.reduce(%b init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<11x5x7xi8>, tensor<i8>) -> tensor<5x7xi8>
  %9 = stablehlo.optimization_barrier %2 : tensor<37x53xi8>
  %10 = stablehlo.multiply %9, %x : tensor<37x53xi8>
  %11 = stablehlo.negate %10 : tensor<37x53xi8>
  return %0, %1, %2, %6, %7, %8, %11 : tensor<53xi8>, tensor<53x37xi8>, tensor<37x53xi8>, tensor<37x53xbf16>, tensor<9xi8>, tensor<5x7xi8>, tensor<37x53xi8>
}
