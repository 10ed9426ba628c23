// Finds targets of all kinds by their names.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/target/Target.h"

#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

// Fails with UnknownTarget if no target of any kind has this name (CPU names: see CpuTarget.h).
Result<TargetPtr> targetFromName(std::string_view name);
// Returns this machine's CPU level, the default target.
TargetPtr nativeTarget();
// Returns a kind's names, as accepted by `--target` and `--target-cpu`.
std::vector<std::string> targetNames(Target::Kind kind);

} // namespace drumlin
