// Handling of failed allocations.
//
// LLVM and MLIR can't be unwound: their destructors wouldn't run, their locks would stay held, and
// helper threads would use stack frames that are gone. So while a compiler runs, a failed
// allocation ends the process. The runtime, which can be unwound, returns an error.
#pragma once

#include "drumlin/support/Diagnostics.h"

namespace drumlin {

// Returns an error without allocating memory, for code that can be unwound.
Diagnostic outOfMemory();

// Fails as `new` does without memory. To be called if another library reports a failed allocation.
[[noreturn]] void allocationFailed();

// While an object of this class exists, a failed allocation on its thread prints OutOfMemory to
// standard error, removes temporary files and ends the process with that error's status.
// Allocations on other threads fail as before. Must be destroyed on the thread that created it.
class EndsWithoutMemory {
public:
  explicit EndsWithoutMemory(bool does = true);
  ~EndsWithoutMemory();
  EndsWithoutMemory(const EndsWithoutMemory &) = delete;
  EndsWithoutMemory &operator=(const EndsWithoutMemory &) = delete;

  // Whether an object of this class exists on this thread: threads started from it should then
  // create one, too.
  static bool isHere();
  [[noreturn]] static void endNow();

private:
  const bool does;
};

} // namespace drumlin
