// Codes of errors in the text of programs, and of edited HLO modules.
#pragma once

#include "drumlin/support/DiagnosticCode.h"

namespace drumlin::errors {

#define DRUMLIN_DIAGNOSTIC(Name, code, status, remedy)                                             \
  inline constexpr DiagnosticCode Name = diagnosticCode(code);
#include "drumlin/support/diagnostics/SyntaxErrors.def"
#undef DRUMLIN_DIAGNOSTIC

} // namespace drumlin::errors
