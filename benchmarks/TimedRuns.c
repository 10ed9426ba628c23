/* Runs an image many times in one call, so that no Python code is timed. benchmarks/image.py loads
 * it. */
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* The type of drumlin_run() (drumlin/runtime/drumlin.h). */
typedef void *(*Run)(void *executable, const void *const *args, size_t arg_count,
                     void *const *results, size_t result_count);

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Returns the seconds of `count` runs; a negative number if one fails. */
__attribute__((visibility("default"))) double timed_runs(Run run, void *executable,
                                                         const void *const *args, size_t arg_count,
                                                         void *const *results, size_t result_count,
                                                         int64_t count) {
  double begin = now();
  for (int64_t i = 0; i < count; ++i) {
    if (run(executable, args, arg_count, results, result_count)) {
      return -1;
    }
  }
  return now() - begin;
}
