// Codes of errors of calls of images.
#pragma once

#include "drumlin/support/DiagnosticCode.h"

namespace drumlin::errors {

#define DRUMLIN_DIAGNOSTIC(Name, code, status, remedy)                                             \
  inline constexpr DiagnosticCode Name = diagnosticCode(code);
#include "drumlin/support/diagnostics/CallErrors.def"
#undef DRUMLIN_DIAGNOSTIC

} // namespace drumlin::errors
