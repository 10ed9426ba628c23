/* Runs an image many times in one call, so that the time of a run has none of an interpreter's in
 * it. benchmarks/image.py loads it. */
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* As drumlin_run() is (drumlin/runtime/drumlin.h). */
typedef void *(*Run)(void *executable, const void *const *args, size_t arg_count,
                     void *const *results, size_t result_count);

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Seconds of `count` runs; negative where one failed. */
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
