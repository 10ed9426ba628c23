// Finds the code of an image's calls, and makes them ready.
#pragma once

#include "drumlin/runtime/calls/PreparedCall.h"

namespace drumlin {

// Finds the code of a custom call. Fails with HostCodeMissing; with HostCodeInvalid where it is of
// another convention than the call says, or of another version of XLA's interface; and with what
// the code says when it is made ready. `location` names the program in diagnostics.
Result<std::unique_ptr<PreparedCall>> prepareCall(const HostCall &call,
                                                  const std::string &location);

// The same for one call: what the interpreter calls.
Status callOnce(const HostCall &call, HostBuffers operands, HostBuffers results);

} // namespace drumlin
