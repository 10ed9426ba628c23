// How a compiled program is compared with the interpreter.
#pragma once

#include "drumlin/driver/Options.h"
#include "drumlin/driver/check/ElementCheck.h"
#include "drumlin/support/ProcessGroups.h"

#include <cstdint>

namespace drumlin {

struct CheckOptions {
  CheckTolerance tolerance; // of kernels; of whole results too, which else get ten times the types'
  unsigned threads = 0;     // that run the native code; 0: one for each processor
  int64_t maxMemory = int64_t(1) << 34; // of the interpreter
  bool checksRanges = false;            // of `--auto-cast`
  GridShape grid = {};                  // of the processes that run the program together
  ProgressFunction progress;            // may be empty
};

} // namespace drumlin
