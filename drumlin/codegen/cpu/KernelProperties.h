// Properties of an emitted kernel, in a header that doesn't include LLVM's.
#pragma once

#include "drumlin/ir/sizes/Size.h"

#include <cstdint>

namespace drumlin::codegen {

// Resources that a launch of the kernel needs besides its inputs and outputs.
struct KernelProperties {
  // Number of tiles, determined by sizes and target alone. If it is known only at run time,
  // `NAME_tiles` computes it.
  Size tiles = 1;
  SizeExpression scratchBytes = 0; // of each executing thread
  // Bytes of a temporary buffer for partial results, passed after the outputs, shared by all tiles.
  SizeExpression partialBytes = 0;
  // Whether `NAME_finish` runs once after all tiles and combines the partial results.
  bool hasFinish = false;
  // How often all tiles run, one step after another. More than once only with a temporary buffer,
  // whose first eight bytes then hold the step's number, from 0 on.
  int64_t steps = 1;

  bool hasPartials() const { return partialBytes.constant() != int64_t(0); }
};

} // namespace drumlin::codegen
