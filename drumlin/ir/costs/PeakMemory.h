// The peak memory of a program, and the values that occupy it at the peak.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace drumlin {

struct MemoryHolder {
  std::string kind;   // `argument`, `result`, `constant`, `weight` or `temporary`
  std::string name;   // `arg0`, `result 1`, `@loop_3 result 0`
  std::string source; // source position of the operation that computes it
  int64_t bytes = 0;
};

struct PeakMemory {
  int64_t argumentBytes = 0, resultBytes = 0;
  int64_t constantBytes = 0; // constants, including weights that were bound at compile time
  // Bytes of the copies of static arguments that kernels read in an order other than row-major. The
  // runtime makes one copy for each distinct pointer that callers pass for an argument, and keeps
  // at most two of these copies. Only one copy per argument is counted.
  int64_t laidOutBytes = 0;
  // Bytes of the temporaries that are live at the peak: the sizes of their buffers if memory is
  // planned, else the sizes of their values.
  int64_t temporaryBytes = 0;
  // Planned arena size; 0 before memory is planned.
  int64_t arenaBytes = 0;
  std::string at;                    // the operation that runs at the peak, and its source
  std::vector<MemoryHolder> holders; // values at the peak, largest first

  int64_t total() const {
    return argumentBytes + resultBytes + constantBytes + laidOutBytes + temporaryBytes;
  }
};

PeakMemory peakMemory(mlir::func::FuncOp function);

} // namespace drumlin
