// Calls of handlers of XLA's foreign function interface.
#pragma once

#include "drumlin/runtime/calls/Ffi.h"
#include "drumlin/runtime/calls/PreparedCall.h"

namespace drumlin {

// Prepares a call: asks the handler for the interface version that it was compiled for, and
// instantiates its state. Fails with HostCodeInvalid or HostCallFailed.
Result<std::unique_ptr<PreparedCall>> prepareFfiCall(const HostCall &call,
                                                     const ffi::HandlerBundle &handlers);

} // namespace drumlin
