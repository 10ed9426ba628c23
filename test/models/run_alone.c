/* Runs an image with the C interface: argument i is the file i.in, result i becomes the file i.out.
 */
#include "drumlin/runtime/drumlin.h"

#include <stdio.h>
#include <stdlib.h>

static int fail(drumlin_error *error) {
  fprintf(stderr, "%s: %s\n", drumlin_error_code(error), drumlin_error_message(error));
  return 1;
}

/* Returns a buffer of the value's size, filled from its file if `path` isn't NULL. */
static void *makeBuffer(const drumlin_value *value, const char *path) {
  size_t bytes = value->bytes ? value->bytes : 1;
  void *buffer = aligned_alloc(64, (bytes + 63) / 64 * 64);
  FILE *file = path ? fopen(path, "rb") : NULL;
  if (!buffer || (path && (!file || fread(buffer, 1, value->bytes, file) != value->bytes))) {
    fprintf(stderr, "%s: no argument of %zu bytes\n", path ? path : "result", value->bytes);
    exit(1);
  }
  if (file) {
    fclose(file);
  }
  return buffer;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: run_alone IMAGE\n");
    return 2;
  }
  drumlin_executable *program;
  drumlin_error *error = drumlin_load(argv[1], NULL, &program);
  if (error) {
    return fail(error);
  }
  size_t argCount = drumlin_argument_count(program), resultCount = drumlin_result_count(program);
  const void **args = calloc(argCount + 1, sizeof(void *));
  void **results = calloc(resultCount + 1, sizeof(void *));
  drumlin_value value;
  char path[32];
  for (size_t i = 0; drumlin_argument(program, i, &value); ++i) {
    snprintf(path, sizeof(path), "%zu.in", i);
    args[i] = makeBuffer(&value, path);
  }
  for (size_t i = 0; drumlin_result(program, i, &value); ++i) {
    results[i] = makeBuffer(&value, NULL);
  }
  error = drumlin_run(program, args, argCount, results, resultCount);
  if (error) {
    return fail(error);
  }
  for (size_t i = 0; drumlin_result(program, i, &value); ++i) {
    snprintf(path, sizeof(path), "%zu.out", i);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(results[i], 1, value.bytes, file) != value.bytes || fclose(file)) {
      fprintf(stderr, "%s: not written\n", path);
      return 1;
    }
  }
  drumlin_free(program);
  return 0;
}
