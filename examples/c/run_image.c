/* Runs a compiled program on bytes from a file, with the runtime library alone:
 *
 *   run_image PROGRAM.so ARGUMENTS RESULTS [THREADS]
 *
 * The file ARGUMENTS has the elements of all arguments, one array after the other, as the C
 * interface takes them (drumlin/runtime/drumlin.h). The results' elements are written to the file
 * RESULTS in the same way. */
#include "drumlin/runtime/drumlin.h"

#include <stdio.h>
#include <stdlib.h>

static int fail(drumlin_error *error) {
  fprintf(stderr, "%s: %s\n", drumlin_error_code(error), drumlin_error_message(error));
  drumlin_error_free(error);
  return 1;
}

static int fail_to(const char *action, const char *path) {
  fprintf(stderr, "can't %s `%s`\n", action, path);
  return 1;
}

/* Allocates each buffer, aligned to 64 bytes; NULL if memory is short. */
static void **allocate(size_t count, const size_t *bytes) {
  void **all = calloc(count + 1, sizeof(void *));
  for (size_t i = 0; all && i < count; ++i) {
    all[i] = aligned_alloc(64, (bytes[i] / 64 + 1) * 64);
    if (!all[i]) {
      return NULL;
    }
  }
  return all;
}

static int run(drumlin_executable *program, const char *from, const char *to) {
  size_t argument_count = drumlin_argument_count(program);
  size_t result_count = drumlin_result_count(program);
  size_t *bytes = calloc(argument_count + result_count + 1, sizeof(size_t));
  drumlin_value value;
  for (size_t i = 0; bytes && i < argument_count && drumlin_argument(program, i, &value); ++i) {
    bytes[i] = value.bytes;
  }
  for (size_t i = 0; bytes && i < result_count && drumlin_result(program, i, &value); ++i) {
    bytes[argument_count + i] = value.bytes;
  }
  void **arguments = bytes ? allocate(argument_count, bytes) : NULL;
  void **results = arguments ? allocate(result_count, bytes + argument_count) : NULL;
  if (!results) {
    return fail_to("get memory for", from);
  }
  FILE *input = fopen(from, "rb");
  for (size_t i = 0; i < argument_count; ++i) {
    if (!input || fread(arguments[i], 1, bytes[i], input) != bytes[i]) {
      return fail_to("read all arguments from", from);
    }
  }
  if (input) {
    fclose(input);
  }
  drumlin_error *error = drumlin_run(program, (const void *const *)arguments, argument_count,
                                     (void *const *)results, result_count);
  if (error) {
    return fail(error);
  }
  FILE *output = fopen(to, "wb");
  for (size_t i = 0; i < result_count; ++i) {
    size_t size = bytes[argument_count + i];
    if (!output || fwrite(results[i], 1, size, output) != size) {
      return fail_to("write", to);
    }
  }
  if (output && fclose(output) != 0) {
    return fail_to("write", to);
  }
  for (size_t i = 0; i < argument_count; ++i) {
    free(arguments[i]);
  }
  for (size_t i = 0; i < result_count; ++i) {
    free(results[i]);
  }
  free(arguments);
  free(results);
  free(bytes);
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: run_image PROGRAM.so ARGUMENTS RESULTS [THREADS]\n");
    return 2;
  }
  drumlin_load_options options = {.size = sizeof(options)};
  options.threads = argc > 4 ? (uint32_t)atoi(argv[4]) : 0;
  drumlin_executable *program = NULL;
  drumlin_error *error = drumlin_load(argv[1], &options, &program);
  if (error) {
    return fail(error);
  }
  int status = run(program, argv[2], argv[3]);
  drumlin_free(program);
  return status;
}
