// What is known of a kernel's code once it is emitted, without LLVM's headers.
#pragma once

#include "drumlin/ir/sizes/Size.h"

#include <cstdint>

namespace drumlin::codegen {

// What a launch of the kernel needs, beside its inputs and outputs.
struct KernelProperties {
  // A function of sizes and target alone. Where only the run tells how many there are, `NAME_tiles`
  // does.
  Size tiles = 1;
  SizeExpression scratchBytes = 0; // of each executing thread
  // Of a temporary buffer after the outputs, shared by all tiles: partial results.
  SizeExpression partialBytes = 0;
  // Whether `NAME_finish` runs once after all tiles and combines the partial results.
  bool hasFinish = false;
  // So many times all tiles run, one time after the other. More than once only with a temporary
  // buffer: its first eight bytes then have the number of the step, from 0 on.
  int64_t steps = 1;

  bool hasPartials() const { return partialBytes.constant() != int64_t(0); }
};

} // namespace drumlin::codegen
