// Codes of errors in programs, artifacts and schedules.
#pragma once

#include "drumlin/support/DiagnosticCode.h"

namespace drumlin::errors {

#define DRUMLIN_DIAGNOSTIC(Name, code, status, remedy)                                             \
  inline constexpr DiagnosticCode Name = diagnosticCode(code);
#include "drumlin/support/diagnostics/ProgramErrors.def"
#undef DRUMLIN_DIAGNOSTIC

} // namespace drumlin::errors
