/* Completes the partial programs that the page shows: each one replaces the `page:` line that has
 * its first words. */
#include <drumlin/runtime/drumlin.h>

#include <stdio.h>
#include <stdlib.h>

static void check(drumlin_error *error) {
  if (error) {
    puts(drumlin_error_message(error));
    exit(1);
  }
}

static void writeProgram(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  fputs(text, file);
  fclose(file);
}

static drumlin_executable *compiled(void) {
  writeProgram("model.mlir",
               "func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {\n"
               "  %0 = stablehlo.add %a, %b : tensor<4xf32>\n"
               "  return %0 : tensor<4xf32>\n"
               "}\n");
  /* page: const char *names */
  check(error);
  return program;
}

static void runLater(drumlin_executable *program) {
  float a[4] = {1, 2, 3, 4}, b[4] = {10, 20, 30, 40}, sum[4] = {0};
  const void *args[] = {a, b};
  void *results[] = {sum};
  /* page: drumlin_run_request request */
  check(error);
  printf("%g\n", sum[3]);
}

static void runAtSizes(void) {
  writeProgram("sizes.mlir", "func.func @main(%x: tensor<?x128xf32>) -> tensor<?x128xf32> {\n"
                             "  %0 = stablehlo.negate %x : tensor<?x128xf32>\n"
                             "  return %0 : tensor<?x128xf32>\n"
                             "}\n");
  drumlin_compile_request request = {.size = sizeof(request), .program = "sizes.mlir"};
  drumlin_executable *program;
  check(drumlin_compile(&request, &program));
  float *x = calloc(32 * 128, sizeof(float)), *y = calloc(32 * 128, sizeof(float));
  x[32 * 128 - 1] = 5;
  const void *args[] = {x};
  void *results[] = {y};
  /* page: const int64_t x_dims */
  check(error);
  printf("%lld %lld %g\n", (long long)y_dims[0], (long long)y_dims[1], y[32 * 128 - 1]);
  drumlin_free(program);
  free(x);
  free(y);
}

int main(void) {
  drumlin_executable *program = compiled();
  runLater(program);
  drumlin_free(program);
  runAtSizes();
  return 0;
}
