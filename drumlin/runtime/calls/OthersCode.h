// Calls of third-party code that may throw. Only for sources that are compiled with exceptions.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/HostCall.h"
#include "drumlin/support/OutOfMemory.h"
#include "drumlin/support/diagnostics/HostCallErrors.h"

#include <exception>
#include <new>

namespace drumlin {

// Runs `code` and returns its status. An exception becomes a failed call, since the image's code,
// which calls this, can't be unwound. Only std::exception is caught: the exception that ends a
// thread must propagate.
template <typename Code> Status callOthersCode(const HostCall &call, Code code) {
  try {
    return code();
  } catch (const std::bad_alloc &) {
    return outOfMemory();
  } catch (const std::exception &thrown) {
    return diagnose(errors::HostCallFailed, "`@" + call.target + "` threw " + thrown.what());
  }
}

} // namespace drumlin
