// RUN: drumlin-opt --resolve-sizes --decompose-operations --split-input-file %s | FileCheck %s

// If two sizes differ, one of them is 1, and its dimension is repeated. Which one is known only at run time, so both dimensions are read by
// a gather whose indices are clamped to the last element.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: tensor<97xf32, #sizes.of<"arg0_0">>
// CHECK-SAME: tensor<97xf32, #sizes.of<"arg1_0">>
// CHECK-SAME: -> tensor<97xf32, #sizes.of<"[[S:min\(.*\)]]">>
// CHECK-SAME: sizes.constraints = [{{.*}} >= 0", {{.*}} == 0"]
// CHECK: %[[LAST:.*]] = stablehlo.subtract
// CHECK: %[[INDEX:.*]] = stablehlo.minimum %{{.*}}, %[[LAST]]
// CHECK: %[[A:.*]] = "stablehlo.gather"(%arg0, %[[INDEX]])
// CHECK: %[[B:.*]] = "stablehlo.gather"(%arg1,
// CHECK: stablehlo.add %[[A]], %[[B]]
func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = chlo.broadcast_add %a, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// If the types determine which dimension is repeated, nothing is chosen at run time: both sizes are one expression, or one is 1.
// CHECK-LABEL: func.func @main(
// CHECK-NOT: gather
// CHECK: %[[B:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [0, 1]
// CHECK: stablehlo.subtract %arg0, %[[B]]
func.func @main(%a: tensor<?x4xf32>, %b: tensor<1x4xf32>) -> tensor<?x4xf32> {
  %0 = chlo.broadcast_subtract %a, %b : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %1 = chlo.broadcast_add %0, %a : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// -----

// If one size is static and not 1, the other size equals it or is 1.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: -> tensor<5xf32>
// CHECK-SAME: #sizes.symbol<"arg0_0", nominal = 5, from = 1, to = 5>
// CHECK: "stablehlo.gather"(%arg0,
func.func @main(%a: tensor<?xf32>, %b: tensor<5xf32>) -> tensor<5xf32> {
  %0 = chlo.broadcast_add %a, %b : (tensor<?xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
