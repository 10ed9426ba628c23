// RUN: drumlin-opt %s --split-input-file --verify-diagnostics

// One invalid plan for each constraint.

// A region's arguments must have the types of the inputs.
func.func @arguments_differ(%x: tensor<4xf32>) {
  // expected-error@+1 {{has a region whose arguments differ from its inputs in number or type}}
  %0 = "plan.loop"(%x) ({
  ^bb0(%a: tensor<4xf64>):
    %1 = stablehlo.constant dense<0.0> : tensor<4xf32>
    "plan.yield"(%1) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// A region must have one argument for each input.
func.func @arguments_missing(%x: tensor<4xf32>) {
  // expected-error@+1 {{has a region whose arguments differ from its inputs in number or type}}
  %0 = "plan.gemm"(%x) ({
    %1 = stablehlo.constant dense<0.0> : tensor<4xf32>
    "plan.yield"(%1) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// The yielded values must have the types of the results.
func.func @yields_differ(%x: tensor<4xf32>) {
  // expected-error@+1 {{yields values that differ from its results in number or type}}
  %0 = plan.sort(%a = %x : tensor<4xf32>) -> (tensor<8xf32>) {
    plan.yield %a : tensor<4xf32>
  }
  return
}

// -----

// Regions end with a yield.
func.func @no_yield(%x: tensor<4xf32>) {
  // expected-error@+1 {{has a region that does not end with `plan.yield`}}
  %0 = plan.window(%a = %x : tensor<4xf32>) -> (tensor<4xf32>) {
    stablehlo.return %a : tensor<4xf32>
  }
  return
}

// -----

// The region of a kernel must not use values from outside of it.
func.func @captures(%x: tensor<4xf32>) {
  // expected-note@+1 {{required by region isolation constraints}}
  %0 = plan.scatter() -> (tensor<4xf32>) {
    // expected-error@+1 {{using value defined outside the region}}
    plan.yield %x : tensor<4xf32>
  }
  return
}

// -----

// A bitcast keeps the element type.
func.func @bitcast_type(%x: tensor<4xf32>) {
  // expected-error@+1 {{must keep the element type and the number of elements, but goes from 'tensor<4xf32>' to 'tensor<4xi32>'}}
  %0 = plan.bitcast %x : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

// A bitcast keeps the number of elements.
func.func @bitcast_size(%x: tensor<4xf32>) {
  // expected-error@+1 {{must keep the element type and the number of elements}}
  %0 = plan.bitcast %x : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

// Each kernel must have a known kind.
// expected-error@+1 {{unknown kind of kernel: `spiral`}}
plan.kernel @k kind(spiral) key("") () {
  plan.yield
}

// -----

// Kernels have distinct names.
// expected-note@+1 {{see existing symbol definition here}}
plan.kernel @k kind(loop) key("0") () {
  plan.yield
}
// expected-error@+1 {{redefinition of symbol named 'k'}}
plan.kernel @k kind(loop) key("1") () {
  plan.yield
}

// -----

// Each buffer must be in a known kind of memory.
// expected-error@+2 {{to be one of: argument, result, arena, weight}}
// expected-error@+1 {{failed to parse Plan_BufferAttr parameter 'kind'}}
func.func @buffer() attributes {buffer = #plan.buffer<shelf, 0, 0, 4>} {
  return
}

// -----

// A schedule must contain only known keywords.
// expected-error@+1 {{unknown algorithm: `fast`}}
func.func private @algorithm() attributes {plan.schedule = #plan.gemm<fast>}

// -----

// expected-error@+1 {{unknown unit: `tensor_cores`}}
func.func private @unit() attributes {plan.schedule = #plan.gemm<packed, unit = tensor_cores>}

// -----

// expected-error@+1 {{a schedule has no field `speed`}}
func.func private @field() attributes {plan.schedule = #plan.gemm<packed, speed = 11>}

// -----

// expected-error@+1 {{`kernel` has 2 numbers}}
func.func private @numbers() attributes {plan.schedule = #plan.gemm<packed, kernel = [1, 2, 3]>}

// -----

// A library call needs a target that has a library.
func.func @library_of_no_target(%x: tensor<4xf32>) {
  // expected-error@+1 {{names a target without a library: `avx512`}}
  %0 = "plan.library_call"(%x) <{call = {}, target = "avx512"}> ({
  ^bb0(%a: tensor<4xf32>):
    "plan.yield"(%a) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// The call must have every argument of the library, under the library's names.
func.func @library_call_of_nothing(%x: tensor<4xf32>) {
  // expected-error@+1 {{has a `call` that is not a call of the library}}
  %0 = "plan.library_call"(%x) <{call = {function = "cublasLtMatmul"}, target = "sm_90"}> ({
  ^bb0(%a: tensor<4xf32>):
    "plan.yield"(%a) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// The library must support the call: a row must not be longer than the distance to the next row.
func.func @library_call_out_of_bounds(%x: tensor<256x256xf32>, %y: tensor<256x256xf32>) -> tensor<256x256xf32> {
  // expected-error@+1 {{has a `call` that the library doesn't take: sizes and strides don't agree, or are too large (256x256, ld 100, batch 1)}}
  %0 = plan.library_call(%a = %x : tensor<256x256xf32>, %b = %y : tensor<256x256xf32>) -> (tensor<256x256xf32>) attributes {call = {A = {batch_count = 1 : i64, batch_mode = "CUBLASLT_BATCH_MODE_STRIDED", batch_stride = 0 : i64, cols = 256 : i64, ld = 100 : i64, offset_bytes = 0 : i64, order = "CUBLASLT_ORDER_COL", pointer = "input 1", rows = 256 : i64, type = "CUDA_R_32F"}, B = {batch_count = 1 : i64, batch_mode = "CUBLASLT_BATCH_MODE_STRIDED", batch_stride = 0 : i64, cols = 256 : i64, ld = 256 : i64, offset_bytes = 0 : i64, order = "CUBLASLT_ORDER_COL", pointer = "input 0", rows = 256 : i64, type = "CUDA_R_32F"}, C = {batch_count = 1 : i64, batch_mode = "CUBLASLT_BATCH_MODE_STRIDED", batch_stride = 0 : i64, cols = 256 : i64, ld = 256 : i64, offset_bytes = 0 : i64, order = "CUBLASLT_ORDER_COL", pointer = "output 0", rows = 256 : i64, type = "CUDA_R_32F"}, D = {batch_count = 1 : i64, batch_mode = "CUBLASLT_BATCH_MODE_STRIDED", batch_stride = 0 : i64, cols = 256 : i64, ld = 256 : i64, offset_bytes = 0 : i64, order = "CUBLASLT_ORDER_COL", pointer = "output 0", rows = 256 : i64, type = "CUDA_R_32F"}, alpha = "1", beta = "0", compute_type = "CUBLAS_COMPUTE_32F", epilogue = "CUBLASLT_EPILOGUE_DEFAULT", fast_accumulation = false, function = "cublasLtMatmul", pointer_mode = "CUBLASLT_POINTER_MODE_HOST", prepared = [], roundings = [], scale_type = "CUDA_R_32F", transa = "CUBLAS_OP_N", transb = "CUBLAS_OP_N", values = [], workspace_bytes = 33554432 : i64}, target = "sm_90"} {
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
    plan.yield %1 : tensor<256x256xf32>
  }
  return %0 : tensor<256x256xf32>
}
