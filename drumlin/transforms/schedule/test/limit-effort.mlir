// RUN: drumlin-opt --limit-effort="target=avx512 share=0.01" --split-input-file %s | FileCheck %s
// RUN: drumlin-opt --limit-effort="target=avx512 share=1000" --split-input-file %s | FileCheck %s --check-prefix=ALL
// RUN: drumlin-opt --limit-effort="target=avx512 share=0 seconds=1e-7 keep-others" --split-input-file %s | FileCheck %s --check-prefix=UNNOTICED

// Kernels are compiled quickly if that adds little to the program's time. Other kernels are compiled with the full code generator.

// The GEMM calls no precompiled routine, and takes nearly all of the time. A kernel's key includes the attribute `plan.effort`.
// CHECK-LABEL: func.func @main
// CHECK: plan.kernel @loop_0 {{.*}}key("{{[0-9a-f]+}}"){{.*}}plan.effort = "quick"
// CHECK: plan.kernel @gemm_0 {{.*}}plan.effort = "lean"
// ALL-LABEL: func.func @main
// ALL: plan.kernel @loop_0 {{.*}}plan.effort = "quick"
// ALL: plan.kernel @gemm_0 {{.*}}plan.effort = "quick"
// UNNOTICED-LABEL: func.func @main
// UNNOTICED: plan.kernel @loop_0 {{.*}}plan.effort = "quick"
// UNNOTICED: plan.kernel @gemm_0
// UNNOTICED-NOT: plan.effort
// UNNOTICED: stablehlo.dot_general
func.func @main(%x: tensor<4xf32>, %y: tensor<256x256xf32>) -> (tensor<4xf32>, tensor<256x256xf32>) {
  %0 = plan.launch @loop_0(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = plan.launch @gemm_0(%y) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  return %0, %1 : tensor<4xf32>, tensor<256x256xf32>
}
plan.kernel @loop_0 kind(loop) key("") (%a: tensor<4xf32>) {
  %0 = stablehlo.negate %a : tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
}
plan.kernel @gemm_0 kind(gemm) key("") (%a: tensor<256x256xf32>) {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  plan.yield %0 : tensor<256x256xf32>
}

// -----

// Each launch counts: the kernel in a short loop takes the larger part of this program's time.
// CHECK-LABEL: func.func @main
// CHECK: plan.kernel @loop_0 {{.*}}plan.effort = "lean"
// CHECK: plan.kernel @loop_1 {{.*}}plan.effort = "quick"
func.func @main(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<1000> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<64xf32>
    cond {
      %2 = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = stablehlo.add %i, %one : tensor<i32>
      %3 = plan.launch @loop_0(%v) : (tensor<64xf32>) -> tensor<64xf32>
      stablehlo.return %2, %3 : tensor<i32>, tensor<64xf32>
    }
  %1 = plan.launch @loop_1(%x) : (tensor<64xf32>) -> tensor<f32>
  return %0#1, %1 : tensor<64xf32>, tensor<f32>
}
plan.kernel @loop_0 kind(loop) key("") (%a: tensor<64xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<64xf32>
  plan.yield %1 : tensor<64xf32>
}
plan.kernel @loop_1 kind(loop) key("") (%a: tensor<64xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  plan.yield %0 : tensor<f32>
}

// -----

// Elementwise operations are straight-line code and mostly bound by memory, so they don't become slower. A sum is carried from iteration to
// iteration, so it becomes slower.
// CHECK-LABEL: func.func @main
// CHECK: plan.kernel @loop_0 {{.*}}plan.effort = "quick"
// CHECK: plan.kernel @loop_1 {{.*}}plan.effort = "lean"
func.func @main(%x: tensor<256x256xf32>) -> (tensor<256x256xf32>, tensor<256xf32>) {
  %0 = plan.launch @loop_0(%x) : (tensor<256x256xf32>) -> tensor<256x256xf32>
  %1 = plan.launch @loop_1(%x) : (tensor<256x256xf32>) -> tensor<256xf32>
  return %0, %1 : tensor<256x256xf32>, tensor<256xf32>
}
plan.kernel @loop_0 kind(loop) key("") (%a: tensor<256x256xf32>) {
  %0 = stablehlo.negate %a : tensor<256x256xf32>
  plan.yield %0 : tensor<256x256xf32>
}
plan.kernel @loop_1 kind(loop) key("") (%a: tensor<256x256xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<256x256xf32>, tensor<f32>) -> tensor<256xf32>
  plan.yield %0 : tensor<256xf32>
}

// -----

// A packed GEMM calls precompiled routines. `gemv` also calls them if the columns are stored in the order in which it reads them, but
// not if it computes the columns.
// CHECK-LABEL: func.func @main
// CHECK: plan.kernel @gemm_0 {{.*}}plan.effort = "quick"
// CHECK: plan.kernel @gemm_1 {{.*}}plan.effort = "quick"
// CHECK: plan.kernel @gemm_2 {{.*}}plan.effort = "lean"
func.func @main(%x: tensor<64x256xf32>, %y: tensor<2x256xf32>, %w: tensor<256x256xf32>) -> (tensor<64x256xf32>, tensor<2x256xf32>, tensor<2x256xf32>) {
  %0 = plan.launch @gemm_0(%x, %w) : (tensor<64x256xf32>, tensor<256x256xf32>) -> tensor<64x256xf32>
  %1 = plan.launch @gemm_1(%y, %w) : (tensor<2x256xf32>, tensor<256x256xf32>) -> tensor<2x256xf32>
  %2 = plan.launch @gemm_2(%y, %w) : (tensor<2x256xf32>, tensor<256x256xf32>) -> tensor<2x256xf32>
  return %0, %1, %2 : tensor<64x256xf32>, tensor<2x256xf32>, tensor<2x256xf32>
}
plan.kernel @gemm_0 kind(gemm) key("") (%a: tensor<64x256xf32>, %w: tensor<256x256xf32>) attributes {plan.schedule = #plan.gemm<packed, unit = fma, tile = [64, 256, 256], kernel = [8, 48], rows_along_k>} {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<64x256xf32>, tensor<256x256xf32>) -> tensor<64x256xf32>
  plan.yield %0 : tensor<64x256xf32>
}
plan.kernel @gemm_1 kind(gemm) key("") (%a: tensor<2x256xf32>, %w: tensor<256x256xf32>) attributes {plan.schedule = #plan.gemm<gemv, unit = fma, tile = [2, 256, 0], side_by_side = 4>} {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<2x256xf32>, tensor<256x256xf32>) -> tensor<2x256xf32>
  plan.yield %0 : tensor<2x256xf32>
}
plan.kernel @gemm_2 kind(gemm) key("") (%a: tensor<2x256xf32>, %w: tensor<256x256xf32>) attributes {plan.schedule = #plan.gemm<gemv, unit = fma, tile = [2, 256, 0], side_by_side = 4>} {
  %0 = stablehlo.negate %w : tensor<256x256xf32>
  %1 = stablehlo.dot_general %a, %0, contracting_dims = [1] x [0] : (tensor<2x256xf32>, tensor<256x256xf32>) -> tensor<2x256xf32>
  plan.yield %1 : tensor<2x256xf32>
}

// -----

// Each tile of a small GEMM calls three routines. This matters if the GEMM is launched often, or an unknown number of times.
// CHECK-LABEL: func.func @main
// UNNOTICED-LABEL: func.func @main(%arg0: tensor<20x20xf32>
// UNNOTICED: plan.kernel @loop_0
// UNNOTICED-NOT: plan.effort
// UNNOTICED: plan.kernel @gemm_0 {{.*}}plan.effort = "quick"
// UNNOTICED: plan.kernel @gemm_1
// UNNOTICED-NOT: plan.effort
// UNNOTICED: stablehlo.dot_general
func.func @main(%x: tensor<20x20xf32>, %y: tensor<16x16xf32>, %z: tensor<i32>) -> (tensor<20x20xf32>, tensor<16x16xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<1000> : tensor<i32>
  %0 = plan.launch @gemm_0(%x) : (tensor<20x20xf32>) -> tensor<20x20xf32>
  %1:2 = stablehlo.while(%i = %zero, %v = %y) : tensor<i32>, tensor<16x16xf32>
    cond {
      %2 = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = stablehlo.add %i, %one : tensor<i32>
      %3 = plan.launch @gemm_1(%v) : (tensor<16x16xf32>) -> tensor<16x16xf32>
      stablehlo.return %2, %3 : tensor<i32>, tensor<16x16xf32>
    }
  %4 = stablehlo.while(%i = %z) : tensor<i32>
    cond {
      %2 = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = plan.launch @loop_0(%i) : (tensor<i32>) -> tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }
  return %0, %1#1, %4 : tensor<20x20xf32>, tensor<16x16xf32>, tensor<i32>
}
plan.kernel @loop_0 kind(loop) key("") (%a: tensor<i32>) attributes {plan.schedule = #plan.loop<[flat, tile = 16384]>} {
  %0 = stablehlo.multiply %a, %a : tensor<i32>
  plan.yield %0 : tensor<i32>
}
plan.kernel @gemm_0 kind(gemm) key("") (%a: tensor<20x20xf32>) attributes {plan.schedule = #plan.gemm<gemv, unit = fma, tile = [4, 20, 0], side_by_side = 4, tiles_per_task = 5>} {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<20x20xf32>, tensor<20x20xf32>) -> tensor<20x20xf32>
  plan.yield %0 : tensor<20x20xf32>
}
plan.kernel @gemm_1 kind(gemm) key("") (%a: tensor<16x16xf32>) attributes {plan.schedule = #plan.gemm<gemv, unit = fma, tile = [4, 16, 0], side_by_side = 4, tiles_per_task = 4>} {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  plan.yield %0 : tensor<16x16xf32>
}

// -----

// No optimization makes a sort faster. A short sort is compiled with less effort. A long sort, or one that may run often, is compiled with
// full effort.
// UNNOTICED-LABEL: func.func @main(%arg0: tensor<20x20xf32>
// UNNOTICED: plan.kernel @sort_0 {{.*}}plan.effort = "lean"
// UNNOTICED: plan.kernel @sort_1
// UNNOTICED-NOT: plan.effort
// UNNOTICED: stablehlo.sort
// CHECK-LABEL: func.func @main(%arg0: tensor<20x20xf32>
// CHECK: plan.kernel @sort_0
func.func @main(%x: tensor<20x20xf32>, %y: tensor<1000x20xf32>) -> (tensor<20x20xf32>, tensor<1000x20xf32>) {
  %0 = plan.launch @sort_0(%x) : (tensor<20x20xf32>) -> tensor<20x20xf32>
  %1 = plan.launch @sort_1(%y) : (tensor<1000x20xf32>) -> tensor<1000x20xf32>
  return %0, %1 : tensor<20x20xf32>, tensor<1000x20xf32>
}
plan.kernel @sort_0 kind(sort) key("") (%a: tensor<20x20xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %p = stablehlo.compare LT, %l, %r, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<20x20xf32>) -> tensor<20x20xf32>
  plan.yield %0 : tensor<20x20xf32>
}
plan.kernel @sort_1 kind(sort) key("") (%a: tensor<1000x20xf32>) {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %p = stablehlo.compare LT, %l, %r, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (tensor<1000x20xf32>) -> tensor<1000x20xf32>
  plan.yield %0 : tensor<1000x20xf32>
}

// -----

// A short Fourier transform is compiled with less effort too.
// UNNOTICED-LABEL: func.func @main(%arg0: tensor<20x20xf32>
// UNNOTICED: plan.kernel @fft_0 {{.*}}plan.effort = "lean"
// UNNOTICED: plan.kernel @fft_1
// UNNOTICED-NOT: plan.effort
// UNNOTICED: stablehlo.fft
func.func @main(%x: tensor<20x20xf32>, %y: tensor<1000x1000xf32>) -> (tensor<20x11xf32>, tensor<1000x501xf32>) {
  %0 = plan.launch @fft_0(%x) : (tensor<20x20xf32>) -> tensor<20x11xf32>
  %1 = plan.launch @fft_1(%y) : (tensor<1000x1000xf32>) -> tensor<1000x501xf32>
  return %0, %1 : tensor<20x11xf32>, tensor<1000x501xf32>
}
plan.kernel @fft_0 kind(fft) key("") (%a: tensor<20x20xf32>) {
  %0 = stablehlo.fft %a, type = RFFT, length = [20] : (tensor<20x20xf32>) -> tensor<20x11xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<20x11xcomplex<f32>>) -> tensor<20x11xf32>
  plan.yield %1 : tensor<20x11xf32>
}
plan.kernel @fft_1 kind(fft) key("") (%a: tensor<1000x1000xf32>) {
  %0 = stablehlo.fft %a, type = RFFT, length = [1000] : (tensor<1000x1000xf32>) -> tensor<1000x501xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<1000x501xcomplex<f32>>) -> tensor<1000x501xf32>
  plan.yield %1 : tensor<1000x501xf32>
}
