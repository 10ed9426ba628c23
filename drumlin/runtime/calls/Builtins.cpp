#include "drumlin/runtime/calls/Builtins.h"

namespace drumlin {

std::optional<HostCaller> findBuiltin(const std::string &) { return std::nullopt; }

} // namespace drumlin
