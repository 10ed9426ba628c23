// Finds the code of an image's calls and prepares the calls.
#pragma once

#include "drumlin/runtime/calls/PreparedCall.h"

namespace drumlin {

// Prepares a custom call. Fails with HostCodeMissing; with HostCodeInvalid if the code's convention
// isn't the call's, or if the code was compiled for another version of XLA's interface; and with
// errors from the code's own preparation. `location` names the program in diagnostics.
Result<std::unique_ptr<PreparedCall>> prepareCall(const HostCall &call,
                                                  const std::string &location);

// Prepares and runs one call, for the interpreter.
Status callOnce(const HostCall &call, HostBuffers operands, HostBuffers results);

} // namespace drumlin
