/* An image's code, written in C instead of compiled. DESCRIPTION is the path of the description's
 * bytes; ABI and STATUS create images that are refused or fail, STATIC one with a static argument,
 * NO_CODE one whose first kernel has no code. Every image fails if x begins with a number below
 * -1e9. */
#include "drumlin/runtime/Abi.h"

#ifndef ABI
#define ABI DRUMLIN_IMAGE_ABI
#endif
#ifndef STATUS
#define STATUS 0
#endif
#ifdef STATIC
#define OFFSET_IN_Y(row, column, columns) ((column) * 10 + (row))
#else
#define OFFSET_IN_Y(row, column, columns) ((row) * (columns) + (column))
#endif

__asm__(".section .drumlin_meta,\"a\",@progbits\n"
        ".balign 64\n"
        ".hidden drumlin_test_metadata\n"
        ".globl drumlin_test_metadata\n"
        "drumlin_test_metadata:\n"
        ".incbin \"" DESCRIPTION "\"\n"
        ".hidden drumlin_test_metadata_end\n"
        ".globl drumlin_test_metadata_end\n"
        "drumlin_test_metadata_end:\n"
        ".text\n");
extern const uint8_t drumlin_test_metadata[], drumlin_test_metadata_end[];

/* A tile is a row of 100 elements. Products are stored in the scratch, like a kernel's intermediate
 * values. */
static void multiplyAdd(void *const *buffers, const int64_t *dims, void *scratch, int64_t tileBegin,
                        int64_t tileEnd) {
  const float *x = buffers[0], *y = buffers[1], *w = buffers[2];
  float *out = buffers[3], *product = scratch;
  int64_t columns = dims[0];
  for (int64_t tile = tileBegin; tile < tileEnd; ++tile) {
    for (int64_t i = 0; i < columns; ++i) {
      product[i] = x[tile * columns + i] * w[0];
    }
    for (int64_t i = 0; i < columns; ++i) {
      out[tile * columns + i] = product[i] + y[OFFSET_IN_Y(tile, i, columns)];
    }
  }
}

static void sum(void *const *buffers, const int64_t *dims, void *scratch, int64_t tileBegin,
                int64_t tileEnd) {
  (void)scratch;
  const float *x = buffers[0];
  float *out = buffers[1], total = 0;
  for (int64_t i = tileBegin; i < tileEnd * dims[0]; ++i) {
    total += x[i];
  }
  *out = total;
}

static int32_t run(const DrumlinRuntimeV1 *runtime, void *const *args, void *const *results,
                   void *arena, void *const *weights) {
  if (runtime->version != DRUMLIN_RUNTIME_VERSION ||
      ((uintptr_t)args[0] | (uintptr_t)results[0] | (uintptr_t)arena | (uintptr_t)weights[0]) %
          DRUMLIN_ALIGNMENT) {
    return 100;
  }
  if (args[2] != results[2]) {
    return 101;
  }
  if (((const float *)args[0])[0] < -1e9f) {
    return 9;
  }
  int64_t columns = 100, all = 1000;
  void *first[] = {args[0], args[1], weights[0], arena};
  runtime->launch(runtime->context, 0, first, &columns, 10);
  for (int64_t i = 0; i < all; ++i) {
    ((float *)results[0])[i] = ((float *)arena)[i];
  }
  void *second[] = {arena, results[1]};
  sum(second, &all, runtime->scratch, 0, 1);
  *(float *)results[2] += 1;
  return STATUS;
}

#ifdef NO_CODE
static const DrumlinKernelV1 kernels[] = {{NULL, NULL}, {multiplyAdd, NULL}};
#else
static const DrumlinKernelV1 kernels[] = {{multiplyAdd, NULL}, {sum, NULL}};
#endif

__attribute__((visibility("default"))) DrumlinImageV1 drumlin_image = {
    DRUMLIN_IMAGE_MAGIC, ABI, 0, drumlin_test_metadata, 0, run, kernels};
