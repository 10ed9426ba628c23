// The target of a pass that drumlin-opt runs by name: there it is an option, spelled as on the
// command line.
#pragma once

#include "drumlin/target/CpuTarget.h"
#include "drumlin/target/Target.h"
#include "drumlin/transforms/PassFailure.h"

namespace drumlin {

// Null where no target has the name: that is reported, and the pass has to signal failure.
inline TargetPtr targetOption(mlir::Operation *op, const std::string &name,
                              std::optional<Diagnostic> *failure = nullptr) {
  Result<TargetPtr> found = targetFromName(name);
  if (!found) {
    reportFailure(op, found.error(), failure);
    return nullptr;
  }
  return *found;
}

inline std::optional<CpuTarget> cpuTargetOption(mlir::Operation *op, const std::string &name,
                                                std::optional<Diagnostic> *failure = nullptr) {
  Result<CpuTarget> found = cpuTargetFromName(name);
  if (!found) {
    reportFailure(op, found.error(), failure);
    return std::nullopt;
  }
  return *found;
}

} // namespace drumlin
