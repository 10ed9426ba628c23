// Codes of errors of host code that programs call.
#pragma once

#include "drumlin/support/DiagnosticCode.h"

namespace drumlin::errors {

#define DRUMLIN_DIAGNOSTIC(Name, code, status, remedy)                                             \
  inline constexpr DiagnosticCode Name = diagnosticCode(code);
#include "drumlin/support/diagnostics/HostCallErrors.def"
#undef DRUMLIN_DIAGNOSTIC

} // namespace drumlin::errors
