// How programs are interpreted.
#pragma once

#include "drumlin/interpreter/InterpreterTable.h"
#include "drumlin/interpreter/kernels/Allocation.h"
#include "drumlin/support/HostCall.h"

#include <cstdint>
#include <limits>

namespace drumlin {

struct InterpreterOptions {
  interpreter::KernelOptions kernels;
  // The most bytes that all values together may take while the program runs.
  int64_t maxMemory = int64_t{1} << 34;
  // The most operations that may be executed, counting each time a region runs.
  int64_t maxSteps = std::numeric_limits<int64_t>::max();
  const InterpreterTable *table = nullptr; // null: standardOperations()
  // What calls code outside of the program; null: such calls fail with InterpreterUnsupported.
  const HostCaller *hostCaller = nullptr;
};

} // namespace drumlin
