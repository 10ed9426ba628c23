/* The binary interface between compiled code and the runtime: plain C, no MLIR, no LLVM.
 *
 * A kernel is a function over untyped buffers and a range of tiles. Tiles of one kernel are
 * independent, and how many there are depends on shapes and target alone, never on the number of
 * threads: so results don't depend on it either. An entry is the compiled straight-line program
 * that launches kernels. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every buffer, the arena, the scratch memory and every weight start at a multiple of this many
 * bytes; but a weight that is used where it lies in the caller's file, and isn't laid out in any
 * way, only at a multiple of its element's size (of 8 where that is larger). */
#define DRUMLIN_ALIGNMENT 64

/* buffers: the launch's inputs, then its outputs, then its temporaries; 64-byte aligned unless they
 * are views. dims: run-time sizes of a shape-generic kernel, or null. scratch: memory of the
 * executing thread alone, as large as the image asks for; contents are undefined. [tileBegin,
 * tileEnd): the tiles to compute. */
typedef void (*DrumlinKernel)(void *const *buffers, const int64_t *dims, void *scratch,
                              int64_t tileBegin, int64_t tileEnd);

#define DRUMLIN_RUNTIME_VERSION 5

/* What compiled code may call. Owned by the runtime; one per running program. */
typedef struct DrumlinRuntimeV1 {
  uint32_t version; /* DRUMLIN_RUNTIME_VERSION */
  uint32_t threads; /* how many execute a launch; for information only */
  void *context;    /* passed back to the functions below */
  void *scratch;    /* the calling thread's scratch, for launches that stay on it */
  /* Runs all tiles [0, tiles) of a kernel, each thread a few contiguous ranges, and returns when
   * all are done. */
  void (*parallel)(void *context, DrumlinKernel kernel, void *const *buffers, const int64_t *dims,
                   int64_t tiles);
  /* Since version 2. What an image that was compiled to time its kernels calls for each launch
   * instead: runs the tiles, then `finish` (null: none), and adds the time to the kernel's, which
   * is the entry of that number in the image's table. */
  void (*timed)(void *context, int64_t number, DrumlinKernel kernel, DrumlinKernel finish,
                void *const *buffers, int64_t tiles);
  /* Since version 3. The same for a kernel of several steps: runs all tiles so many times, and
   * writes the number of the step to `step` before each time. */
  void (*timedSteps)(void *context, int64_t number, DrumlinKernel kernel, void *const *buffers,
                     int64_t tiles, int64_t steps, int64_t *step);
  /* Since version 4. Calls code outside of the image: the entry of that number in the image's table
   * of calls. buffers: its operands, then its results, without those that are tokens. Returns 0, or
   * what the entry then returns. */
  int32_t (*call)(void *context, int64_t number, void *const *buffers);
  /* Since version 4. The values of the sizes that are known when the program runs, in the order of
   * the image's table. */
  const int64_t *sizes;
  /* Since version 5. `timed` of a kernel that takes sizes. */
  void (*timedSized)(void *context, int64_t number, DrumlinKernel kernel, DrumlinKernel finish,
                     void *const *buffers, const int64_t *dims, int64_t tiles);
} DrumlinRuntimeV1;

/* args, results: one pointer each, in the order of the signature, row-major and dense. arena: the
 * planned memory. weights: one pointer for each entry of the image's weight table. Returns 0, or an
 * error code. */
typedef int32_t (*DrumlinEntry)(const DrumlinRuntimeV1 *runtime, void *const *args,
                                void *const *results, void *arena, void *const *weights);

#define DRUMLIN_IMAGE_MAGIC "DRUMLIN" /* 8 bytes with the terminating zero */
#define DRUMLIN_IMAGE_ABI 3

/* The one symbol that an image exports, `drumlin_image`. */
typedef struct DrumlinImageV1 {
  char magic[8];
  uint32_t abi;
  uint32_t flags; /* 0 */
  const uint8_t
      *metadata; /* FlatBuffers: drumlin/runtime/executable/Image.fbs; verified before any use */
  uint64_t metadataSize;
  DrumlinEntry entry;
} DrumlinImageV1;

#define DRUMLIN_IMAGE_SYMBOL "drumlin_image"

#ifdef __cplusplus
}
#endif
