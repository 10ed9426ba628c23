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

} // namespace drumlin
