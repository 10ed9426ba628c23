// Codes of errors of the interpreter, and of programs that it runs.
#pragma once

#include "drumlin/support/DiagnosticCode.h"

namespace drumlin::errors {

#define DRUMLIN_DIAGNOSTIC(Name, code, status, remedy)                                             \
  inline constexpr DiagnosticCode Name = diagnosticCode(code);
#include "drumlin/support/diagnostics/InterpreterErrors.def"
#undef DRUMLIN_DIAGNOSTIC

} // namespace drumlin::errors
