// The sizes of one call, computed from its arguments' sizes, for images with dynamic sizes
// (docs/dynamic-shapes.md).
#pragma once

#include "drumlin/runtime/executable/ImageDescription.h"
#include "drumlin/support/Diagnostics.h"

#include <span>

namespace drumlin {

struct CallSizes {
  std::vector<int64_t> symbols; // the symbols' values, in the order of the image
  std::vector<Shape> arguments, results;
  uint64_t arenaBytes = 0;
  uint64_t scratchBytes = 0; // per thread
};

// Computes the sizes of a call; the image's own shapes if it has no symbols. Fails with
// ArgumentMismatch, which names the argument, the dimension and the expected size, and with
// OutOfMemory for sizes that exceed all memory.
Result<CallSizes> sizesOfCall(const ImageDescription &image, std::span<const Shape> arguments,
                              const std::string &location);

} // namespace drumlin
