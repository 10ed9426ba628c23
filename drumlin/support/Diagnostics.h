// Diagnostics: every error that a user can meet is a line of a table in `diagnostics/`, with a
// stable code, the exit status that it leads to and a remedy. Code that fails returns a Diagnostic
// in a Result; nothing throws and nothing aborts. The codes of an area (files, options, images,
// ...) are constants in the area's header, so that a new code rebuilds only the sources that use
// its area.
#pragma once

#include "drumlin/support/DiagnosticCode.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace drumlin {

// The process's exit statuses, and the C interface's error classes.
enum class ExitStatus : int {
  Done = 0,
  FileError = 1, // a file can't be read or written
  Usage = 2,
  InvalidInput = 3,
  Unsupported = 4,
  ContractUnmet = 5,
  ResourceLimit = 6,
  NumbersDiffer = 7,
  InternalError = 70, // a bug in Drumlin
  Interrupted = 130,
};

struct DiagnosticInfo {
  DiagnosticCode code;
  std::string_view name; // `FileNotFound`
  std::string_view id;   // `D1001`
  ExitStatus status;
  std::string_view remedy; // the default remedy; lower-case, no final period
};

const DiagnosticInfo &info(DiagnosticCode code);
const std::vector<DiagnosticInfo> &allDiagnostics();

struct Diagnostic {
  DiagnosticCode code;
  std::string message; // lower-case, no final period, backticks around program text: what was seen,
                       // what was expected
  std::string location; // `file.mlir:12:7`, a path, an option; may be empty
  std::string remedy;   // empty: the default remedy

  // Formats as `file.mlir:12:7: error D2003: message` and, on a separate line, `  hint: remedy`,
  // each line with its line end. `kind`: `warning` for diagnostics that stop nothing.
  std::string str(std::string_view kind = "error") const;
};

inline Diagnostic diagnose(DiagnosticCode code, std::string message, std::string location = {},
                           std::string remedy = {}) {
  return {code, std::move(message), std::move(location), std::move(remedy)};
}

// A value, or the diagnostic that says why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::move(value)) {}
  Result(Diagnostic error) : state(std::move(error)) {}
  explicit operator bool() const { return std::holds_alternative<T>(state); }
  T &operator*() { return std::get<T>(state); }
  const T &operator*() const { return std::get<T>(state); }
  T *operator->() { return &std::get<T>(state); }
  const T *operator->() const { return &std::get<T>(state); }
  const Diagnostic &error() const { return std::get<Diagnostic>(state); }

private:
  std::variant<T, Diagnostic> state;
};

// Success, or a diagnostic: `if (Status status = f(); !status) { return status.error(); }`. Success
// is `return Done();`.
struct Done {};
using Status = Result<Done>;

} // namespace drumlin
