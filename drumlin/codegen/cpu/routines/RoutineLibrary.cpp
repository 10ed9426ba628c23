#include "drumlin/codegen/cpu/routines/RoutineLibrary.h"

#include <algorithm>

namespace drumlin {

const EmbeddedRoutine *RoutineLibrary::find(std::string_view name, const CpuTarget &target) const {
  auto at = std::ranges::lower_bound(routines, name, {}, &EmbeddedRoutine::name);
  if (at == routines.end() || at->name != name) {
    return nullptr;
  }
  Result<CpuTarget> level = cpuTargetFromName(at->level);
  bool runs = level && std::ranges::includes(target.features, level->features);
  return runs ? &*at : nullptr;
}

} // namespace drumlin
