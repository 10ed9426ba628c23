// A call of an image, ready to be made: its code is found, and what doesn't change from run to run
// is laid out as the code takes it.
#pragma once

#include "drumlin/runtime/calls/HostRun.h"

#include <memory>

namespace drumlin {

class PreparedCall {
public:
  virtual ~PreparedCall() = default;

  // Fills the results from the operands: a pointer for each value of the call, null for a token.
  // Safe to call from several threads. Fails with HostCallFailed, or with what else the code says.
  virtual Status run(HostBuffers operands, HostBuffers results, const HostRun &run) const = 0;
};

// Finds the code of a custom call. Fails with HostCodeMissing; with HostCodeInvalid where it is of
// another convention than the call says, or of another version of XLA's interface; and with what
// the code says when it is made ready. `location` names the program in diagnostics.
Result<std::unique_ptr<PreparedCall>> prepareCall(const HostCall &call,
                                                  const std::string &location);

// The same for one call: what the interpreter calls.
Status callOnce(const HostCall &call, HostBuffers operands, HostBuffers results);

} // namespace drumlin
