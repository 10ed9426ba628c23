// What is known of a kernel's code once it is emitted, without LLVM's headers.
#pragma once

#include <cstdint>
#include <string>

namespace drumlin::codegen {

// What a launch of the kernel needs, beside its inputs and outputs.
struct KernelProperties {
  // A function of shape and target alone. Where `tilesDepend`, at the nominal sizes, and
  // `NAME_tiles` tells how many there are at those of a call.
  int64_t tiles = 1;
  int64_t scratchBytes = 0; // of each executing thread
  int64_t partialBytes =
      0; // a temporary buffer after the outputs, shared by all tiles: partial results
  bool hasFinish =
      false; // `NAME_finish` runs once after all tiles and combines the partial results
  // So many times all tiles run, one time after the other. More than once only with a temporary
  // buffer: its first eight bytes then have the number of the step, from 0 on.
  int64_t steps = 1;
  bool tilesDepend = false; // on sizes that are known when the program runs
  // Where the scratch memory depends on such sizes: its bytes as the text of a SizeExpression, and
  // `scratchBytes` is zero. Else empty.
  std::string scratchSize;
  // The same of `partialBytes`.
  std::string partialSize;

  bool hasPartials() const { return partialBytes > 0 || !partialSize.empty(); }
};

} // namespace drumlin::codegen
