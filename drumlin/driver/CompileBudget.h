// The time, memory and operations that a compilation may take. They are checked between passes and
// between kernels: beyond them, compilation ends with a diagnostic, and nothing is written.
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
  // Time and memory count from now on. `place`: of the program, in messages.
  CompileBudget(const CompileOptions &options, std::string place);

  std::chrono::steady_clock::time_point since() const { return begin; }
  // CompileInterrupted, CompileTimeLimit or CompileMemoryLimit. `step` is what has just ended or is
  // about to begin. Asking takes some microseconds. On one thread: the caller's.
  Status check(const std::string &step) const;
  // CompileOperationsLimit, or what check() says.
  Status check(const std::string &step, mlir::Operation *root) const;

private:
  std::function<bool()> isInterrupted; // may be empty
  std::string place;
  std::chrono::steady_clock::time_point begin;
  double seconds;             // infinite: any
  int64_t bytes, bytesBefore; // that the process may hold more than before
  int64_t operations;
};

// A pass that fails where the budget is used up; `step` has run before it. It says that it changes
// nothing, so that nothing is verified again.
std::unique_ptr<mlir::Pass> createBudgetCheck(const CompileBudget &budget, std::string step,
                                              std::optional<Diagnostic> &failure);

} // namespace drumlin
