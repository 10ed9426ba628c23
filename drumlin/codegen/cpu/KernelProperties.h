// Properties of an emitted kernel. This header doesn't include headers of LLVM.
#pragma once

#include "drumlin/ir/sizes/Size.h"

#include <cstdint>

namespace drumlin::codegen {

// Resources that a launch of the kernel needs besides its inputs and outputs.
struct KernelProperties {
  // The number of tiles, which depends on sizes and the target alone. If that number is known only
  // at run time, the function `NAME_tiles` computes it.
  Size tiles = 1;
  // The kernel computes this many neighbouring tiles, from a multiple of this number on, faster
  // together than one by one. Tiles that a thread takes should be whole groups if there are enough.
  int64_t tilesTogether = 1;
  SizeExpression scratchBytes = 0; // scratch bytes per executing thread
  // Bytes of a temporary buffer for partial results. All tiles share it; it is passed after the
  // outputs.
  SizeExpression partialBytes = 0;
  // Whether `NAME_finish` runs once after all tiles and combines the partial results.
  bool hasFinish = false;
  // The number of steps. All tiles run in each step, and steps run one after another. A kernel of
  // more than one step has a temporary buffer, whose first eight bytes hold the number of the step,
  // from 0.
  int64_t steps = 1;

  bool hasPartials() const { return partialBytes.constant() != int64_t(0); }
};

} // namespace drumlin::codegen
