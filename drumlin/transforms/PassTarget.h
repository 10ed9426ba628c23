// The target of a pass that drumlin-opt runs by name: an option, spelled as on the command line.
#pragma once

#include "drumlin/target/CpuTarget.h"
#include "drumlin/target/TargetNames.h"
#include "drumlin/transforms/PassFailure.h"

namespace drumlin {

// Keeps the target that the compiler gave to a pass, or finds the target named by its option.
// Returns false if no target has that name: the error is reported, and the pass must signal
// failure.
template <typename Kept, typename Found>
bool keepTarget(Kept &target, Result<Found> (*find)(std::string_view), mlir::Operation *op,
                const std::string &name, std::optional<Diagnostic> *failure) {
  if (target) {
    return true;
  }
  Result<Found> found = find(name);
  if (!found) {
    reportFailure(op, found.error(), failure);
    return false;
  }
  target = *found;
  return true;
}

inline bool takeTarget(TargetPtr &target, mlir::Operation *op, const std::string &name,
                       std::optional<Diagnostic> *failure = nullptr) {
  return keepTarget(target, targetFromName, op, name, failure);
}

inline bool takeTarget(std::optional<CpuTarget> &target, mlir::Operation *op,
                       const std::string &name, std::optional<Diagnostic> *failure = nullptr) {
  auto find = [](std::string_view name) { return cpuTargetFromName(name); };
  return keepTarget<std::optional<CpuTarget>, CpuTarget>(target, find, op, name, failure);
}

} // namespace drumlin
