// Custom calls that the runtime has code of its own for.
#pragma once

#include "drumlin/runtime/calls/HostRun.h"

#include <optional>
#include <string>

namespace drumlin {

// Nothing where the runtime has no code of this name. Code that needs a library finds it when it is
// first called for (HostLibraryMissing where there is none).
std::optional<RuntimeCode> findBuiltin(const std::string &name);

} // namespace drumlin
