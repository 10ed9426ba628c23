// Handles failed allocations on every thread that runs LLVM or MLIR code.
#pragma once

#include "drumlin/support/OutOfMemory.h"

namespace drumlin {

// While an instance lives, a failed allocation on this thread ends the process (EndsWithoutMemory).
// LLVM also allocates without `new`; for these allocations, a handler is installed in LLVM.
class CompilerMemory {
public:
  CompilerMemory();

private:
  EndsWithoutMemory ends;
};

} // namespace drumlin
