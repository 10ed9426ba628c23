// Options of the interpreter.
#pragma once

#include "drumlin/interpreter/InterpreterTable.h"
#include "drumlin/interpreter/kernels/Allocation.h"
#include "drumlin/support/HostCall.h"

#include <cstdint>
#include <limits>

namespace drumlin {

struct InterpreterOptions {
  interpreter::KernelOptions kernels;
  // Maximum bytes of all values together while the program runs.
  int64_t maxMemory = int64_t{1} << 34;
  // Maximum number of executed operations, counted each time a region runs.
  int64_t maxSteps = std::numeric_limits<int64_t>::max();
  const InterpreterTable *table = nullptr; // null: standardOperations()
  // The caller of code outside of the program; if null, such calls fail with
  // InterpreterUnsupported.
  const HostCaller *hostCaller = nullptr;
};

} // namespace drumlin
