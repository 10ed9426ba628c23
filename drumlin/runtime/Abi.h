/* The binary interface between compiled code and the runtime: plain C, no MLIR, no LLVM.
 *
 * A kernel is a function over untyped buffers and a range of tiles. Tiles of one kernel are
 * independent, and their number depends only on shapes and target, never on the number of threads,
 * so results don't depend on the number of threads either. An entry is the compiled straight-line
 * program that launches kernels by number; if kernels and entry run on the same processor, the
 * entry may call the function of a one-tile kernel directly, and read and write buffers. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The alignment in bytes of every buffer, the arena, the scratch memory and every weight.
 * Exception: a weight read in place from the caller's file, without a layout, is aligned only to
 * its element's size, at most 8. */
#define DRUMLIN_ALIGNMENT 64

/* buffers: the launch's inputs, then its outputs, then its temporaries; 64-byte aligned unless they
 * are views. dims: run-time sizes of a shape-generic kernel, or null. scratch: memory private to
 * the executing thread, of the size that the image requires; contents are undefined. [tileBegin,
 * tileEnd): the tiles to compute. */
typedef void (*DrumlinKernel)(void *const *buffers, const int64_t *dims, void *scratch,
                              int64_t tileBegin, int64_t tileEnd);

/* A kernel in an image's table; its index there is the kernel's number. `finish` combines the
 * tiles' partial results after all tiles are done: called once, on one thread, with the range of
 * all tiles; null if there is nothing to combine. */
typedef struct DrumlinKernelV1 {
  DrumlinKernel run;
  DrumlinKernel finish;
} DrumlinKernelV1;

#define DRUMLIN_RUNTIME_VERSION 7

/* The most launches that run side by side; the runtime runs more of them one after another. */
#define DRUMLIN_MOST_BESIDE 16

/* A launch of a kernel without run-time sizes, among launches that don't access each other's
 * results and partial results. The fields are the arguments of `launchSteps` below, with at least
 * one step; `step` may be null if there is only one. */
typedef struct DrumlinLaunchV1 {
  int64_t number;
  void *const *buffers;
  int64_t tiles;
  int64_t steps;
  int64_t *step;
} DrumlinLaunchV1;

/* The runtime functions that compiled code may call. Owned by the runtime; one per run. */
typedef struct DrumlinRuntimeV1 {
  uint32_t version; /* DRUMLIN_RUNTIME_VERSION */
  uint32_t threads; /* the number of threads that execute a launch; informative only */
  void *context;    /* passed back to the functions below */
  void *scratch;    /* the calling thread's scratch, for launches that stay on it */
  /* Runs all tiles [0, tiles) of the kernel with this number, each thread a few contiguous ranges,
   * then the kernel's `finish`; returns when all are done. */
  void (*launch)(void *context, int64_t number, void *const *buffers, const int64_t *dims,
                 int64_t tiles);
  /* Runs all tiles of a kernel `steps` times. Before each step, writes the step's number to `step`,
   * which is in the buffers' memory. */
  void (*launchSteps)(void *context, int64_t number, void *const *buffers, int64_t tiles,
                      int64_t steps, int64_t *step);
  /* Calls code outside of the image, by its index in the image's table of calls. buffers: the
   * operands, then the results, without tokens. Returns 0, or an error code, which the compiled
   * entry must return in turn. */
  int32_t (*call)(void *context, int64_t number, void *const *buffers);
  /* The values of the program's size symbols in this run, in the order of the image's table. */
  const int64_t *sizes;
  /* Copies within the buffers' memory, after all earlier launches. */
  void (*copy)(void *context, void *to, const void *from, int64_t bytes);
  /* Returns the little-endian integer of 1 to 8 bytes at `from`, zero-extended, after all earlier
   * launches are done. */
  uint64_t (*read)(void *context, const void *from, int64_t bytes);
  /* Runs `count` launches, which may run side by side; returns when all are done. */
  void (*launchBeside)(void *context, const DrumlinLaunchV1 *launches, int64_t count);
} DrumlinRuntimeV1;

/* args, results: one pointer for each value, in the order of the signature, row-major and dense.
 * arena: the memory of the buffer assignment. weights: one pointer for each entry of the image's
 * weight table. Returns 0, or an error code. */
typedef int32_t (*DrumlinEntry)(const DrumlinRuntimeV1 *runtime, void *const *args,
                                void *const *results, void *arena, void *const *weights);

#define DRUMLIN_IMAGE_MAGIC "DRUMLIN" /* 8 bytes with the terminating zero */
#define DRUMLIN_IMAGE_ABI 5

/* The type of `drumlin_image`, the one symbol that an image exports. */
typedef struct DrumlinImageV1 {
  char magic[8];
  uint32_t abi;
  uint32_t flags; /* 0 */
  const uint8_t
      *metadata; /* FlatBuffers: drumlin/runtime/executable/Image.fbs; verified before any use */
  uint64_t metadataSize;
  DrumlinEntry entry;
  const DrumlinKernelV1 *kernels; /* one for each kernel that the metadata describes */
} DrumlinImageV1;

#define DRUMLIN_IMAGE_SYMBOL "drumlin_image"

#ifdef __cplusplus
}
#endif
