/* The binary interface between compiled code and the runtime: plain C, no MLIR, no LLVM.
 *
 * A kernel is a function over untyped buffers and a range of tiles. Tiles of one kernel are
 * independent, and how many there are depends on shapes and target alone, never on the number of
 * threads: so results don't depend on it either. An entry is the compiled straight-line program
 * that launches kernels, by their numbers; where kernels and entry run on the same processor, it
 * may call the function of a kernel of one tile itself, and read and write buffers. */
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

/* How an image's table lists a kernel, whose number is its place there. `finish`: what joins its
 * tiles' partial results when all are done, on one thread, as a range of all of them; null where
 * there is nothing to join. */
typedef struct DrumlinKernelV1 {
  DrumlinKernel run;
  DrumlinKernel finish;
} DrumlinKernelV1;

#define DRUMLIN_RUNTIME_VERSION 6

/* What compiled code may call. Owned by the runtime; one per running program. */
typedef struct DrumlinRuntimeV1 {
  uint32_t version; /* DRUMLIN_RUNTIME_VERSION */
  uint32_t threads; /* how many execute a launch; for information only */
  void *context;    /* passed back to the functions below */
  void *scratch;    /* the calling thread's scratch, for launches that stay on it */
  /* Runs all tiles [0, tiles) of the kernel of that number, each thread a few contiguous ranges,
   * then what joins them, and returns when all is done. */
  void (*launch)(void *context, int64_t number, void *const *buffers, const int64_t *dims,
                 int64_t tiles);
  /* Runs all tiles of a kernel so many times, and writes the number of the step to `step`, in the
   * buffers' memory, before each time. */
  void (*launchSteps)(void *context, int64_t number, void *const *buffers, int64_t tiles,
                      int64_t steps, int64_t *step);
  /* Calls code outside of the image: the entry of that number in the image's table of calls.
   * buffers: its operands, then its results, without those that are tokens. Returns 0, or what the
   * entry then returns. */
  int32_t (*call)(void *context, int64_t number, void *const *buffers);
  /* The values of the sizes that are known when the program runs, in the order of the image's
   * table. */
  const int64_t *sizes;
  /* Copies within the buffers' memory, behind all launches before it. */
  void (*copy)(void *context, void *to, const void *from, int64_t bytes);
  /* Returns the little-endian integer of 1 to 8 bytes that lies there once all launches before it
   * are done, filled up with zeros. */
  uint64_t (*read)(void *context, const void *from, int64_t bytes);
} DrumlinRuntimeV1;

/* args, results: one pointer each, in the order of the signature, row-major and dense. arena: the
 * planned memory. weights: one pointer for each entry of the image's weight table. Returns 0, or an
 * error code. */
typedef int32_t (*DrumlinEntry)(const DrumlinRuntimeV1 *runtime, void *const *args,
                                void *const *results, void *arena, void *const *weights);

#define DRUMLIN_IMAGE_MAGIC "DRUMLIN" /* 8 bytes with the terminating zero */
#define DRUMLIN_IMAGE_ABI 4

/* The one symbol that an image exports, `drumlin_image`. */
typedef struct DrumlinImageV1 {
  char magic[8];
  uint32_t abi;
  uint32_t flags; /* 0 */
  const uint8_t
      *metadata; /* FlatBuffers: drumlin/runtime/executable/Image.fbs; verified before any use */
  uint64_t metadataSize;
  DrumlinEntry entry;
  const DrumlinKernelV1 *kernels; /* as many as the metadata describes */
} DrumlinImageV1;

#define DRUMLIN_IMAGE_SYMBOL "drumlin_image"

#ifdef __cplusplus
}
#endif
