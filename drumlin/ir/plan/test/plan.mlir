// RUN: drumlin-opt %s | FileCheck %s
// RUN: drumlin-opt %s --mlir-print-op-generic | drumlin-opt | FileCheck %s

// The plan is printed as it was read.

// Every kind of kernel, with results and with names for its inputs in the region.
// CHECK-LABEL: func.func @kernel_forming
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<2xi32>
func.func @kernel_forming(%x: tensor<4xf32>, %y: tensor<2xi32>) {
  // CHECK: plan.loop(%[[A:.*]] = %[[X]] : tensor<4xf32>, %[[B:.*]] = %[[Y]] : tensor<2xi32>) -> (tensor<2xi32>, tensor<4xf32>) {
  // CHECK-NEXT: plan.yield %[[B]], %[[A]] : tensor<2xi32>, tensor<4xf32>
  // CHECK-NEXT: }
  %0:2 = plan.loop(%a = %x : tensor<4xf32>, %b = %y : tensor<2xi32>) -> (tensor<2xi32>, tensor<4xf32>) {
    plan.yield %b, %a : tensor<2xi32>, tensor<4xf32>
  }
  // CHECK: plan.gemm(%{{.*}} = %[[X]] : tensor<4xf32>) -> (tensor<4xf32>) attributes {tag = "x"} {
  %1 = plan.gemm(%a = %x : tensor<4xf32>) -> (tensor<4xf32>) attributes {tag = "x"} {
    plan.yield %a : tensor<4xf32>
  }
  // CHECK: plan.sort(
  %2 = plan.sort(%a = %x : tensor<4xf32>) -> (tensor<4xf32>) {
    plan.yield %a : tensor<4xf32>
  }
  // CHECK: plan.scatter(
  %3 = plan.scatter(%a = %x : tensor<4xf32>) -> (tensor<4xf32>) {
    plan.yield %a : tensor<4xf32>
  }
  // CHECK: plan.window(
  %4 = plan.window(%a = %x : tensor<4xf32>) -> (tensor<4xf32>) {
    plan.yield %a : tensor<4xf32>
  }
  return
}

// A kernel without inputs or results.
// CHECK-LABEL: func.func @empty_kernel
func.func @empty_kernel() {
  // CHECK: plan.loop() -> () {
  // CHECK-NEXT: plan.yield
  plan.loop() -> () {
    plan.yield
  }
  return
}

// Bitcasts, and copies with the reasons for them.
// CHECK-LABEL: func.func @bytes
func.func @bytes(%x: tensor<4x2xf32>) {
  // CHECK: plan.bitcast %{{.*}} : (tensor<4x2xf32>) -> tensor<8xf32>
  %0 = plan.bitcast %x : (tensor<4x2xf32>) -> tensor<8xf32>
  // CHECK: plan.copy %{{.*}} reason("output") : tensor<8xf32> -> tensor<8xf32>
  %1 = plan.copy %0 reason("output") : tensor<8xf32> -> tensor<8xf32>
  return
}

// Buffers of every kind of memory: kind, index, offset and size in bytes.
// CHECK-LABEL: func.func @buffers
// CHECK-SAME: buffers = [#plan.buffer<argument, 1, 0, 16>, #plan.buffer<result, 2, 0, 16>, #plan.buffer<weight, 3, 0, 16>], plan.arena_bytes = 64 : i64
func.func @buffers(%x: tensor<4xf32>) attributes {plan.arena_bytes = 64 : i64, buffers = [#plan.buffer<argument, 1, 0, 16>, #plan.buffer<result, 2, 0, 16>, #plan.buffer<weight, 3, 0, 16>]} {
  // CHECK: plan.launch @negate(%{{.*}}) {buffers = [#plan.buffer<arena, 0, 64, 16>]} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = plan.launch @negate(%x) {buffers = [#plan.buffer<arena, 0, 64, 16>]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// Outlined kernels: the name, the kind, and the key, which is a hash of everything that code generation reads.
// CHECK: plan.kernel @negate kind(loop) key("00ff") (%[[A:.*]]: tensor<4xf32>) {
// CHECK-NEXT: %[[N:.*]] = stablehlo.negate %[[A]] : tensor<4xf32>
// CHECK-NEXT: plan.yield %[[N]] : tensor<4xf32>
plan.kernel @negate kind(loop) key("00ff") (%a: tensor<4xf32>) {
  %0 = stablehlo.negate %a : tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
}
// CHECK: plan.kernel @nothing kind(scatter) key("") () attributes {tag = "x"} {
plan.kernel @nothing kind(scatter) key("") () attributes {tag = "x"} {
  plan.yield
}

// Origins: numbers in locations.
// CHECK-LABEL: func.func @origin
func.func @origin() attributes {origin = #plan.origin<17>} {
  return
}
