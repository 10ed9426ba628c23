// RUN: drumlin-opt --mark-static=arguments=0,3 %s | FileCheck %s
// RUN: not drumlin-opt --mark-static=arguments=4 %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not drumlin-opt --mark-static=arguments=2 %s 2>&1 | FileCheck %s --check-prefix=DONATED
// RUN: drumlin-opt --mark-static=arguments=a,in3 %s | FileCheck %s
// RUN: drumlin-opt --mark-static=arguments=0-1,d %s | FileCheck %s
// RUN: drumlin-opt --mark-static=arguments=* %s | FileCheck %s
// RUN: not drumlin-opt --mark-static=arguments=2-9 %s 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not drumlin-opt --mark-static=arguments=weights.* %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not drumlin-opt --mark-static=arguments=c %s 2>&1 | FileCheck %s --check-prefix=DONATED
// RUN: not drumlin-opt --mark-static=arguments=0-3 %s 2>&1 | FileCheck %s --check-prefix=DONATED

// The arguments that the user names and the arguments that the program marks are static.
// CHECK: @main(%arg0: tensor<4xf32> {drumlin.static}, %arg1: tensor<4xf32> {drumlin.static}, %arg2: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %arg3: tensor<4xf32> {drumlin.static})
// UNKNOWN: error: the program has no argument 4: it takes 4
// RANGE: error: the program has no argument 2-9: it takes 4
// NONE: error: the program has no argument `weights.*`: it takes 4
// DONATED: error: argument 2 is the same at every call, but it is donated: result 0 overwrites it
func.func @main(%a: tensor<4xf32> loc("a"), %b: tensor<4xf32> {drumlin.static = true}, %c: tensor<4xf32> {drumlin.static = false, tf.aliasing_output = 0 : i32} loc("c"), %d: tensor<4xf32> loc("d")) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  %1 = stablehlo.add %c, %d : tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
