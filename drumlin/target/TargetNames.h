// Targets of all kinds by their names.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/target/Target.h"

#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

// UnknownTarget where no target of any kind has this name (CpuTarget.h says which CPUs have).
Result<TargetPtr> targetFromName(std::string_view name);
// The CPU level of this machine: the target where none is named.
TargetPtr nativeTarget();
// Their names, as `--target` and `--target-cpu` take them.
std::vector<std::string> targetNames(Target::Kind kind);

} // namespace drumlin
