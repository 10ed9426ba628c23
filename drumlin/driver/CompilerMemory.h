// Of everything that runs LLVM's or MLIR's code, wherever it is called from.
#pragma once

#include "drumlin/support/OutOfMemory.h"

namespace drumlin {

// While one lives, no allocation of this thread fails and returns: the process ends
// (EndsWithoutMemory), by LLVM's own handler where LLVM asks for memory without `new`.
class CompilerMemory {
public:
  CompilerMemory();

private:
  EndsWithoutMemory ends;
};

} // namespace drumlin
