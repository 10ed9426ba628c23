// Options for comparing a compiled program with the interpreter.
#pragma once

#include "drumlin/driver/Options.h"
#include "drumlin/driver/check/ElementCheck.h"
#include "drumlin/support/ProcessGroups.h"

#include <cstdint>

namespace drumlin {

struct CheckOptions {
  CheckTolerance tolerance;             // unset: the types' defaults, 10 times wider for results
  unsigned threads = 0;                 // threads of the native code; 0: one for each processor
  int64_t maxMemory = int64_t(1) << 34; // bytes that the interpreter may use
  bool checksRanges = false;            // check the ranges of `--auto-cast`'s roundings
  GridShape grid = {};                  // the processes that run the program together
  ProgressFunction progress;            // may be empty
};

} // namespace drumlin
