// Codes of errors about differing results, and of the interpreter's errors.
#pragma once

#include "drumlin/support/DiagnosticCode.h"

namespace drumlin::errors {

#define DRUMLIN_DIAGNOSTIC(Name, code, status, remedy)                                             \
  inline constexpr DiagnosticCode Name = diagnosticCode(code);
#include "drumlin/support/diagnostics/Numbers.def"
#undef DRUMLIN_DIAGNOSTIC

} // namespace drumlin::errors
