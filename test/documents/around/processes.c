/* Completes the partial program that the page shows. */
#include <drumlin/runtime/drumlin.h>

#include <stdio.h>
#include <stdlib.h>

static void check(drumlin_error *error) {
  if (error) {
    puts(drumlin_error_message(error));
    exit(1);
  }
}

int main(void) {
  static const char text[] =
      "module attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 1 : i32} {\n"
      "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %0 = \"stablehlo.all_reduce\"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> "
      "({\n"
      "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
      "    %1 = stablehlo.add %a, %b : tensor<f32>\n"
      "    stablehlo.return %1 : tensor<f32>\n"
      "  }) : (tensor<2xf32>) -> tensor<2xf32>\n"
      "  return %0 : tensor<2xf32>\n"
      "}\n"
      "}\n";
  drumlin_program_text program_text = {"sum.mlir", text, sizeof(text) - 1};
  drumlin_compile_request request = {
      .size = sizeof(request), .program = "sum.mlir", .text = &program_text};
  drumlin_executable *program;
  drumlin_error *error = drumlin_compile(&request, &program);
  check(error);
  float x0[2] = {1, 2}, x1[2] = {10, 20}, y0[2], y1[2];
  /* page: 2 replicas of 1 partition */
  check(error);
  printf("%g %g\n", y0[1], y1[0]);
  drumlin_free(program);
  return 0;
}
