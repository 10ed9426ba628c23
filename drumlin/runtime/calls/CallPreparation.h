// Finds the code of an image's calls and prepares the calls.
#pragma once

#include "drumlin/runtime/calls/PreparedCall.h"

namespace drumlin {

// Prepares a custom call. Fails with HostCodeMissing; with HostCodeInvalid if the code has another
// convention than the call, or another version of XLA's interface; and with errors that the code
// itself returns from its preparation. `location` names the program in diagnostics.
Result<std::unique_ptr<PreparedCall>> prepareCall(const HostCall &call,
                                                  const std::string &location);

// Prepares and runs one call, for the interpreter.
Status callOnce(const HostCall &call, HostBuffers operands, HostBuffers results);

} // namespace drumlin
