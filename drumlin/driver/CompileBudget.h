// Limits of a compilation's time, memory and operations. The limits are checked between passes and
// between kernels. If a limit is exceeded, compilation ends with a diagnostic and writes nothing.
#pragma once

#include "drumlin/support/Diagnostics.h"

#include "mlir/Pass/Pass.h"

#include <chrono>
#include <functional>
#include <optional>

namespace drumlin {

struct CompileOptions;

class CompileBudget {
public:
  // Starts counting time and memory. `place`: the program's location, for messages.
  CompileBudget(const CompileOptions &options, std::string place);

  std::chrono::steady_clock::time_point since() const { return begin; }
  // Fails with CompileInterrupted, CompileTimeLimit or CompileMemoryLimit if a limit is exceeded.
  // `step`: the step that has just ended or is about to begin. A check takes some microseconds.
  // Only the thread that compiles may call this function.
  Status check(const std::string &step) const;
  // Does the same as check(step), and also fails with CompileOperationsLimit if `root` contains too
  // many operations.
  Status check(const std::string &step, mlir::Operation *root) const;

private:
  std::function<bool()> isInterrupted; // may be empty
  std::string place;
  std::chrono::steady_clock::time_point begin;
  double seconds;             // infinite: no limit
  int64_t bytes, bytesBefore; // bytes that the process may hold in addition to bytesBefore
  int64_t operations;
};

// Creates a pass that runs after `step` and fails if the budget is used up. The pass marks all
// analyses as preserved, so that the verifier doesn't run again.
std::unique_ptr<mlir::Pass> createBudgetCheck(const CompileBudget &budget, std::string step,
                                              std::optional<Diagnostic> &failure);

} // namespace drumlin
