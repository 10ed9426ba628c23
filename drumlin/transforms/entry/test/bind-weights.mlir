// RUN: python3 -c "import json, struct; head = json.dumps({'w': {'dtype': 'F32', 'shape': [4], 'data_offsets': [0, 16]}}).encode(); open('%t.safetensors', 'wb').write(struct.pack('<Q', len(head)) + head + bytes(16))"
// RUN: drumlin-opt --bind-weights=file=%t.safetensors %s | FileCheck %s
// RUN: drumlin-opt --bind-weights=file=%t.safetensors %s | drumlin-opt --bind-weights=file=%t.safetensors | FileCheck %s
// RUN: drumlin-opt "--bind-weights=file=%t.safetensors in-place" %s | FileCheck %s --check-prefix=PLACE
// RUN: drumlin-opt "--bind-weights=file=%t.safetensors in-place" %s | drumlin-opt --bind-weights=file=%t.safetensors | FileCheck %s
// RUN: not drumlin-opt --bind-weights=file=%t.nowhere.safetensors %s 2>&1 | FileCheck %s --check-prefix=NOWHERE

// Weights are the last arguments. If a program already has weights, they stay.
// CHECK: func.func @main(%arg0: tensor<4xf32> {drumlin.static, plan.program_number = 1 : i64}, %arg1: tensor<4xf32> {plan.program_number = 0 : i64}) -> tensor<4xf32> attributes {plan.weights = ["w"]}
// CHECK: stablehlo.subtract %arg1, %arg0
// PLACE: attributes {plan.weights = ["w"], plan.weights_in_place} {
// NOWHERE: error: can't read the file
func.func @main(%w: tensor<4xf32> loc("w"), %x: tensor<4xf32> {drumlin.static}) -> tensor<4xf32> {
  %0 = stablehlo.subtract %w, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
