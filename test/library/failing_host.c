/* A host whose allocations fail: failing_host compile|run PROGRAM POINTS. Each point, one
 * failing allocation, runs in its own process. A compilation may end the process with status 6 and
 * D1005. Loading and running must fail with D1005 and then work again. Prints `ok`, or the
 * unexpected result. */
#include "points.h"

#include <drumlin/runtime/drumlin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { size = 64 };
static float x[size] __attribute__((aligned(64))), y[size] __attribute__((aligned(64)));

/* Returns NULL, or the error's code. */
static const char *codeOf(drumlin_error *error) {
  static char code[16];
  if (!error) {
    return NULL;
  }
  snprintf(code, sizeof(code), "%s", drumlin_error_code(error));
  drumlin_error_free(error);
  return code;
}

static const char *compile(const char *path) {
  const char *names[] = {"no-cache"};
  const char *values[] = {NULL};
  drumlin_compile_request request = {.size = sizeof(request),
                                     .program = path,
                                     .option_names = names,
                                     .option_values = values,
                                     .option_count = 1};
  drumlin_executable *program = NULL;
  const char *code = codeOf(drumlin_compile(&request, &program));
  drumlin_free(program);
  return code;
}

/* Loads and runs a program, which squares `size` numbers. */
static const char *loadAndRun(const char *path) {
  drumlin_load_options options = {.size = sizeof(options), .threads = 2};
  drumlin_executable *program = NULL;
  const char *code = codeOf(drumlin_load(path, &options, &program));
  if (code) {
    return code;
  }
  const void *arguments[] = {x};
  void *results[] = {y};
  memset(y, 0, sizeof(y));
  code = codeOf(drumlin_run(program, arguments, 1, results, 1));
  if (!code) {
    drumlin_run_request request = {.size = sizeof(request),
                                   .args = arguments,
                                   .arg_count = 1,
                                   .results = results,
                                   .result_count = 1};
    drumlin_event *event = NULL;
    code = codeOf(drumlin_run_async(program, &request, &event));
    if (!code) {
      code = codeOf(drumlin_event_wait(event));
    }
    drumlin_event_free(event);
  }
  drumlin_free(program);
  for (int i = 0; i < size && !code; ++i) {
    code = y[i] == x[i] * x[i] ? NULL : "wrong numbers";
  }
  return code;
}

int main(int count, char **arguments) {
  if (count != 4) {
    return 2;
  }
  int compiles = strcmp(arguments[1], "compile") == 0;
  for (int i = 0; i < size; ++i) {
    x[i] = (float)(i - 3);
  }
  return checkPoints(NULL, compiles ? compile : loadAndRun, compiles, arguments[2],
                     atol(arguments[3]));
}
