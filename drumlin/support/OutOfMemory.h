// What follows from an allocation that fails.
//
// LLVM and MLIR can't be unwound: their destructors don't run, their locks stay held, and threads
// that help go on in frames that are gone. So while a compiler runs, there is one answer: the
// process ends. The runtime, which can be unwound, makes an error of it.
#pragma once

#include "drumlin/support/Diagnostics.h"

namespace drumlin {

// Of what can be unwound: an error that takes no memory itself.
inline Diagnostic outOfMemory() { return {DiagnosticCode::OutOfMemory, "out of memory", {}, {}}; }

// Fails as a `new` without memory does: for calls of other libraries that return such an error.
[[noreturn]] void allocationFailed();

// While one lives, an allocation that fails on this thread ends the process with OutOfMemory on
// standard error and that error's status; temporary files go. Other threads' allocations fail as
// they did before. Ends on the thread that it began on.
class EndsWithoutMemory {
public:
  explicit EndsWithoutMemory(bool does = true);
  ~EndsWithoutMemory();
  EndsWithoutMemory(const EndsWithoutMemory &) = delete;
  EndsWithoutMemory &operator=(const EndsWithoutMemory &) = delete;

  // Whether one lives on this thread: for those that it starts, which are to end likewise.
  static bool isHere();
  [[noreturn]] static void endNow();

private:
  const bool does;
};

} // namespace drumlin
