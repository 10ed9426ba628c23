// Calls of code that isn't ours and may throw. For sources that are compiled with exceptions.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/HostCall.h"
#include "drumlin/support/OutOfMemory.h"

#include <exception>
#include <new>

namespace drumlin {

// Runs `code` and gives its status. An exception of it becomes the call's failure: the image's code
// calls this, and can't be unwound. Only std::exception is caught, since the end of a thread is
// thrown as well and has to go on.
template <typename Code> Status callOthersCode(const HostCall &call, Code code) {
  try {
    return code();
  } catch (const std::bad_alloc &) {
    return outOfMemory();
  } catch (const std::exception &thrown) {
    return diagnose(DiagnosticCode::HostCallFailed,
                    "`@" + call.target + "` threw " + thrown.what());
  }
}

} // namespace drumlin
