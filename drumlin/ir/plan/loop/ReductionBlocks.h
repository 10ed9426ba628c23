// The blocks in which reductions add up floating-point numbers, whose sums are joined without an
// error of their own: code generation loops by them, and bounds of errors follow from them.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <cstdint>

namespace drumlin {

struct ReductionBlocks {
  // Terms that one accumulator adds up before its sum joins those of others: few enough for errors
  // of a few units in the last place, and so many that joining costs little.
  static constexpr int64_t terms = 16;

  // Steps of a dimension that make a block, given the sizes of those inside of it.
  static int64_t stepsOutside(llvm::ArrayRef<int64_t> inside) {
    int64_t each = 1; // terms of a step, at most as many as are a block of their own
    for (int64_t size : inside) {
      each = std::min(each * std::max<int64_t>(size, 1), terms);
    }
    return std::max<int64_t>(terms / each, 1);
  }
};

} // namespace drumlin
