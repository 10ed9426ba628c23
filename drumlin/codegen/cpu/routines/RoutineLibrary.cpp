#include "drumlin/codegen/cpu/routines/RoutineLibrary.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace drumlin {

// The levels' features are looked up once per process: LLVM takes 20 µs per level.
static bool hasLevel(const CpuTarget &target, std::string_view level) {
  using Features = std::array<std::vector<std::string>, std::size(routineLevels)>;
  static const Features features = [] {
    Features made;
    std::ranges::transform(routineLevels, made.begin(),
                           [](std::string_view name) { return cpuTargetFromName(name)->features; });
    return made;
  }();
  const auto *at = std::ranges::find(routineLevels, level);
  return at != std::end(routineLevels) &&
         std::ranges::includes(target.features, features[at - std::begin(routineLevels)]);
}

const EmbeddedRoutine *RoutineLibrary::find(std::string_view name, const CpuTarget &target) const {
  auto at = std::ranges::lower_bound(routines, name, {}, &EmbeddedRoutine::name);
  if (at == routines.end() || at->name != name) {
    return nullptr;
  }
  return hasLevel(target, at->level) ? &*at : nullptr;
}

} // namespace drumlin
