// Custom calls that the runtime implements itself.
#pragma once

#include "drumlin/runtime/calls/HostRun.h"

#include <optional>
#include <string>

namespace drumlin {

// Returns the runtime's code for this name, or nothing if the runtime has none. Code that needs a
// library looks for the library at its first call, which fails with HostLibraryMissing if there is
// none.
std::optional<RuntimeCode> findBuiltin(const std::string &name);

// These functions choose between the runtime's code and a framework's code of the same name.
// isBuiltinUsable() returns whether the libraries that the runtime's code needs are present and as
// fast as the framework's. isBuiltinChosenBySizes() returns whether the choice depends on a run's
// sizes. If it does, prefersBuiltin() chooses for the sizes of `call` and this number of threads;
// else the runtime's code is called.
bool isBuiltinUsable(const std::string &name);
bool isBuiltinChosenBySizes(const std::string &name);
bool prefersBuiltin(const HostCall &call, unsigned threads);

} // namespace drumlin
