// Custom calls that the runtime has code of its own for.
#pragma once

#include "drumlin/runtime/calls/HostRun.h"

#include <optional>
#include <string>

namespace drumlin {

// Nothing where the runtime has no code of this name. Code that needs a library finds it when it is
// first called for (HostLibraryMissing where there is none).
std::optional<RuntimeCode> findBuiltin(const std::string &name);

// Where a framework has code of the same name: whether what the runtime's needs is there and as
// fast as what frameworks have; whether the sizes of a run tell which of both is called (else the
// runtime's is); and, where they do, whether the runtime's is for these sizes, on so many threads.
bool isBuiltinUsable(const std::string &name);
bool isBuiltinChosenBySizes(const std::string &name);
bool prefersBuiltin(const HostCall &call, unsigned threads);

} // namespace drumlin
