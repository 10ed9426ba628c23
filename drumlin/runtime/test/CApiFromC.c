/* Tests the interface from a C program; with OLD_HEADER, from one compiled against an older header.
 * Returns 0, or the line of the first check that failed. */
#ifdef OLD_HEADER
#include OLD_HEADER
#define drumlinTestFromC drumlinTestFromOldC
#else
#include "drumlin/runtime/drumlin.h"
#endif

#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                           \
  if (!(condition)) {                                                                              \
    return __LINE__;                                                                               \
  }

int drumlinTestFromC(const char *path) {
  drumlin_executable *program = NULL;
  drumlin_load_options options = {0};
  options.size = sizeof(options);
  options.threads = 2;
  drumlin_error *error = drumlin_load(path, &options, &program);
  CHECK(!error && program);
  CHECK(drumlin_argument_count(program) == 4 && drumlin_result_count(program) == 3);
  CHECK(strcmp(drumlin_program_name(program), "main") == 0);
  drumlin_value value;
  CHECK(drumlin_argument(program, 0, &value));
  CHECK(strcmp(value.name, "x") == 0 && strcmp(value.type, "f32") == 0 && value.rank == 2 &&
        value.dims[1] == 100 && value.bytes == 4000 && value.donated_to == -1);
  CHECK(drumlin_argument(program, 2, &value) && value.donated_to == 2 && value.rank == 0);
  CHECK(!drumlin_argument(program, 4, &value) && drumlin_result(program, 0, &value));

  float *x = aligned_alloc(64, 4032), *y = aligned_alloc(64, 4032), *out = aligned_alloc(64, 4032);
  CHECK(x && y && out);
  for (int i = 0; i < 1000; ++i) {
    x[i] = 1;
    y[i] = (float)i;
  }
  float total = 1, sum = 0, next = 0;
  const void *args[] = {x, y, &total, NULL};
  void *results[] = {out, &sum, &next};
  error = drumlin_run(program, args, 4, results, 3);
  CHECK(!error);
  CHECK(out[10] == 12 && next == 2 && total == 1);
  error = drumlin_run(program, args, 3, results, 3);
  CHECK(error && strcmp(drumlin_error_code(error), "D6007") == 0);
  drumlin_error_free(error);
  drumlin_free(program);
  free(x);
  free(y);
  free(out);
  return 0;
}
