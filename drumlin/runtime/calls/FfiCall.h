// A call of a handler of XLA's foreign function interface.
#pragma once

#include "drumlin/runtime/calls/Ffi.h"
#include "drumlin/runtime/calls/PreparedCall.h"

namespace drumlin {

// Asks the handler for the version of the interface that it was compiled for, and makes its state.
// Fails with HostCodeInvalid or HostCallFailed.
Result<std::unique_ptr<PreparedCall>> prepareFfiCall(const HostCall &call,
                                                     const ffi::HandlerBundle &handlers);

} // namespace drumlin
