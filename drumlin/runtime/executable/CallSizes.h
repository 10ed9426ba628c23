// What the sizes of a call's arguments say of the call, for images whose sizes are known when they
// run (docs/dynamic-shapes.md).
#pragma once

#include "drumlin/runtime/executable/ImageDescription.h"
#include "drumlin/support/Diagnostics.h"

#include <span>

namespace drumlin {

struct CallSizes {
  std::vector<int64_t> symbols; // values, in the order of the image's
  std::vector<Shape> arguments, results;
  uint64_t arenaBytes = 0;
  uint64_t scratchBytes = 0; // of each thread
};

// At the image's own shapes where it has no symbols. Fails with ArgumentMismatch, which names the
// argument, the dimension and what was expected, and with OutOfMemory for sizes beyond all memory.
Result<CallSizes> sizesOfCall(const ImageDescription &image, std::span<const Shape> arguments,
                              const std::string &location);

} // namespace drumlin
