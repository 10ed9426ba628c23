// Calls of code that isn't ours and may throw. For sources that are compiled with exceptions.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/HostCall.h"

#include <exception>

namespace drumlin {

// What `code` gives. What it throws is the call's failure instead of the process's end, and passes
// through no function of ours, as these are compiled without exceptions. What isn't derived from
// std::exception passes on: a thread's end is among it.
template <typename Code> Status callOthersCode(const HostCall &call, Code code) {
  try {
    return code();
  } catch (const std::exception &thrown) {
    return diagnose(DiagnosticCode::HostCallFailed,
                    "`@" + call.target + "` threw " + thrown.what());
  }
}

} // namespace drumlin
