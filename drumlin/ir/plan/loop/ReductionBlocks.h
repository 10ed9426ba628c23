// The blocks in which reductions add floating-point numbers. The sums of blocks are joined without
// rounding errors. Generated loops use these blocks, and error bounds are computed from them.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <cstdint>

namespace drumlin {

struct ReductionBlocks {
  // Number of elements that one accumulator adds before its sum is joined with other sums. The
  // number is small enough that errors stay at a few units in the last place, and large enough that
  // joining sums takes little time.
  static constexpr int64_t terms = 16;

  // Returns the number of steps along a dimension that form one block, given the sizes of the
  // dimensions in its inner loops.
  static int64_t stepsOutside(llvm::ArrayRef<int64_t> inside) {
    int64_t each = 1; // number of elements per step, limited to the size of a block
    for (int64_t size : inside) {
      each = std::min(each * std::max<int64_t>(size, 1), terms);
    }
    return std::max<int64_t>(terms / each, 1);
  }
};

} // namespace drumlin
