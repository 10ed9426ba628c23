// Memory handling of every thread that runs LLVM or MLIR code, whichever function calls it.
#pragma once

#include "drumlin/support/OutOfMemory.h"

namespace drumlin {

// While an instance lives, a failed allocation on this thread ends the process (EndsWithoutMemory)
// instead of returning; LLVM's own handler covers allocations without `new`.
class CompilerMemory {
public:
  CompilerMemory();

private:
  EndsWithoutMemory ends;
};

} // namespace drumlin
