// Codes of errors about limits on memory, time and steps.
#pragma once

#include "drumlin/support/DiagnosticCode.h"

namespace drumlin::errors {

#define DRUMLIN_DIAGNOSTIC(Name, code, status, remedy)                                             \
  inline constexpr DiagnosticCode Name = diagnosticCode(code);
#include "drumlin/support/diagnostics/LimitErrors.def"
#undef DRUMLIN_DIAGNOSTIC

} // namespace drumlin::errors
