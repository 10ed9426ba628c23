// RUN: drumlin-opt %s | FileCheck %s
// RUN: drumlin-opt %s --mlir-print-op-generic | drumlin-opt | FileCheck %s

// Random numbers are printed as they were read.

// Two distributions, whose shape is an operand.
// CHECK-LABEL: func.func @rng
func.func @rng(%a: tensor<f32>, %s: tensor<2xi64>, %n: tensor<2xindex>) {
  // CHECK: stablehlo.rng %{{.*}}, %{{.*}}, %{{.*}}, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>
  %0 = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>
  // CHECK: stablehlo.rng %{{.*}}, %{{.*}}, %{{.*}}, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xindex>) -> tensor<3x4xf32>
  %1 = stablehlo.rng %a, %a, %n, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xindex>) -> tensor<3x4xf32>
  return
}

// The generators.
// CHECK-LABEL: func.func @rng_bit_generator
func.func @rng_bit_generator(%s: tensor<2xui64>, %l: tensor<3xui64>, %f: tensor<f32>) {
  // A state that no generator uses, but that artifacts contain.
  // CHECK: stablehlo.rng_bit_generator %{{.*}}, algorithm = PHILOX : (tensor<f32>) -> (tensor<f32>, tensor<2xf32>)
  %x, %y = stablehlo.rng_bit_generator %f, algorithm = PHILOX : (tensor<f32>) -> (tensor<f32>, tensor<2xf32>)
  // CHECK: %{{.*}}, %{{.*}} = stablehlo.rng_bit_generator %{{.*}}, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x2xui32>)
  %o, %b = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x2xui32>)
  // CHECK: %{{.*}}, %{{.*}} = stablehlo.rng_bit_generator %{{.*}}, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2x2xf32>)
  %p, %c = stablehlo.rng_bit_generator %l, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2x2xf32>)
  // CHECK: %{{.*}}, %{{.*}} = stablehlo.rng_bit_generator %{{.*}}, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<i8>)
  %q, %d = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<i8>)
  return
}
