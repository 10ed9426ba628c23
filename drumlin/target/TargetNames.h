// Finds targets of all kinds by their names.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/target/Target.h"

#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

// Returns the target with this name, of any kind (CPU names: see CpuTarget.h). Fails with
// UnknownTarget if there is none.
Result<TargetPtr> targetFromName(std::string_view name);
// Returns this machine's CPU level, the default target.
TargetPtr nativeTarget();
// Returns a kind's names, as accepted by `--target` and `--target-cpu`.
std::vector<std::string> targetNames(Target::Kind kind);

} // namespace drumlin
