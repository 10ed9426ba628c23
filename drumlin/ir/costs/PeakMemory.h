// The memory that a program needs at most, and what holds it then.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace drumlin {

struct MemoryHolder {
  std::string kind;   // `argument`, `result`, `constant`, `weight` or `temporary`
  std::string name;   // `arg0`, `result 1`, `@loop_3 result 0`
  std::string source; // of what computes it
  int64_t bytes = 0;
};

struct PeakMemory {
  int64_t argumentBytes = 0, resultBytes = 0;
  int64_t constantBytes = 0; // with weights that were bound at compile time
  // What the runtime makes of static arguments that kernels read in another order than row-major,
  // once for each pointer that is passed (it keeps two at most): here of one.
  int64_t laidOutBytes = 0;
  // Of temporaries that are needed at one time: by their buffers once memory is planned, by their
  // sizes before.
  int64_t temporaryBytes = 0;
  // What is planned for them; 0 before that.
  int64_t arenaBytes = 0;
  std::string at;                    // the operation that runs then, and its source
  std::vector<MemoryHolder> holders; // then, largest first

  int64_t total() const {
    return argumentBytes + resultBytes + constantBytes + laidOutBytes + temporaryBytes;
  }
};

PeakMemory peakMemory(mlir::func::FuncOp function);

} // namespace drumlin
