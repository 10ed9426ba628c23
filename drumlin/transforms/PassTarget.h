// Finds the target of a pass. The compiler gives a pass its target. In drumlin-opt, an option of
// the pass names the target, spelled as on the command line.
#pragma once

#include "drumlin/target/CpuTarget.h"
#include "drumlin/target/TargetNames.h"
#include "drumlin/transforms/PassFailure.h"

namespace drumlin {

// Keeps the target that the compiler gave to a pass, or else finds the target that the pass's
// option names. If no target has that name, reports the error and returns false; the pass must then
// signal failure.
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
