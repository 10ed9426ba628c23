// Handles failed allocations on every thread that runs LLVM or MLIR code.
#pragma once

#include "drumlin/support/OutOfMemory.h"

namespace drumlin {

// While an instance lives, an allocation on this thread that fails ends the process
// (EndsWithoutMemory) and doesn't return. For allocations that LLVM makes without `new`, a handler
// is installed in LLVM.
class CompilerMemory {
public:
  CompilerMemory();

private:
  EndsWithoutMemory ends;
};

} // namespace drumlin
