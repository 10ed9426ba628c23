// What the system says where a call of it fails, as a diagnostic.
#pragma once

#include "drumlin/support/Diagnostics.h"

#include <string>

namespace drumlin {

// `what`, and the text of the errno. The code is `otherwise`, or OpenFilesLimit where the process
// or the system has as many open files as it may have.
Diagnostic systemError(DiagnosticCode otherwise, const std::string &what, int error,
                       std::string location = {});

// Whether no file can be opened for that reason now: for libraries that don't keep the errno.
bool areFilesExhausted();

} // namespace drumlin
