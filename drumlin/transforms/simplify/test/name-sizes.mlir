// RUN: drumlin-opt --name-sizes %s | FileCheck %s

// A value of the entry that is passed to a function's argument `b` gets the name `b`. Values that are passed to arguments without a name,
// and results of another call, get no name.
// CHECK-LABEL: func.func @main(
func.func @main(%x: tensor<?x?xf32>) -> tensor<i32> {
  // CHECK: stablehlo.get_dimension_size {{.*}}, dim = 0 {plan.size_name = "b"}
  %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  // CHECK: stablehlo.get_dimension_size {{.*}}, dim = 1 :
  %1 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  // CHECK: call @twice({{.*}}) :
  %2 = call @twice(%0, %1) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  // CHECK: call @again({{.*}}) :
  %3 = call @again(%2) : (tensor<i32>) -> tensor<i32>
  return %3 : tensor<i32>
}
func.func private @twice(%b: tensor<i32> {jax.global_constant = "b"}, %s: tensor<i32> {jax.global_constant = ""}) -> tensor<i32> {
  return %b : tensor<i32>
}
func.func private @again(%n: tensor<i32> {jax.global_constant = "n"}) -> tensor<i32> {
  return %n : tensor<i32>
}
