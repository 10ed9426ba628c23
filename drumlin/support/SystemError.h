// Diagnostics for failed system calls.
#pragma once

#include "drumlin/support/Diagnostics.h"

#include <string>

namespace drumlin {

// Returns a diagnostic of `what` and the text of the errno. Its code is `otherwise`, or
// OpenFilesLimit if the process or the system has reached its limit of open files.
Diagnostic systemError(DiagnosticCode otherwise, const std::string &what, int error,
                       std::string location = {});

// Whether the limit of open files is reached now, for callers of libraries that don't preserve the
// errno.
bool areFilesExhausted();

} // namespace drumlin
