// A call of an image, ready to be made: its code was found, and everything that doesn't change
// between runs was converted to the form that the code requires.
#pragma once

#include "drumlin/runtime/calls/HostRun.h"

#include <memory>

namespace drumlin {

class PreparedCall {
public:
  virtual ~PreparedCall() = default;

  // Computes the results from the operands. `operands` and `results` have a pointer for each value
  // of the call; null for a token. Safe to call from several threads. Fails with HostCallFailed, or
  // with the code's own error.
  virtual Status run(HostBuffers operands, HostBuffers results, const HostRun &run) const = 0;
};

} // namespace drumlin
